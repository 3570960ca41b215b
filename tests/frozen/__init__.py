"""Tests of the application as it is shipped: ``make test-app`` builds it and runs these. They need ``dist``."""
