"""What the pictures share: axes, colours, fonts, and painting a drawing."""
