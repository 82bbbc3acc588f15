"""The commands by whom they are for: each reads its arguments, calls one module, and shows."""
