"""How much the metric of a ranking varies from sample to sample."""
