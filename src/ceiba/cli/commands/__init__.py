"""The commands of ``ceiba``, a module per group."""
