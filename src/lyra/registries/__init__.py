"""Registries and official APIs: one file each on one client, their records as texts and facts. Given a getter."""
