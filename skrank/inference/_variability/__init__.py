"""How much the metric of any ranking varies from sample to sample, not only by luck."""
