"""The workspace: what is set up, what was done, the tree as it is; saved after every action."""
