"""The memory gauge: ``app.gauges.panel.MemoryPanel``."""
