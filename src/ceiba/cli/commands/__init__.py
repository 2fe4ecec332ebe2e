"""The commands of ``ceiba``, in one module per group of commands."""
