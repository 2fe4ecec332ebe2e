"""The commands of ``ceiba``, one file each."""
