"""The lessons: every cell runs, in three languages alike; every figure is the right one."""
