"""Define the commands of ``ceiba``, with one module per group."""
