"""The acceptance heatmap: ``app.heatmap.panel.HeatmapPanel``."""
