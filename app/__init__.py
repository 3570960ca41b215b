"""The window. Talks to the engine process and reads its traces; never imports MLX."""
