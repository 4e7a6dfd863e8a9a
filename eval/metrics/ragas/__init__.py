"""Ragas' own classes, called one answer at a time. Import this where they are built: it loads Ragas (3 s, 200 MB)."""
