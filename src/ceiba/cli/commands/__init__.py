"""The commands of ``ceiba``, one module per group."""
