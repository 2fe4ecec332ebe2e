"""CHAID: growing by tests (Kass 1980; Biggs, de Ville and Suen 1991)."""
