"""What the command line prints, in Spanish and Portuguese."""
