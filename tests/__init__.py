"""The tests: one folder per room, the slow exact reference, and the oracle's harness."""
