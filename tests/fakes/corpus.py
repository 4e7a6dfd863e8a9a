"""Four small documents, Chinese and English, and a chunking to their scale."""

from __future__ import annotations

from chunking.config import ChunkingConfig

CHUNKING = ChunkingConfig(target_tokens=40, min_tokens=10, max_tokens=80)

TEXTS = {
    "notes/volcano.md": "# Volcanoes\n\nA volcano erupts lava.\n\n## Ash\n\nAsh clouds ground aeroplanes.\n",
    "notes/tea.txt": "Green tea is steamed. Oolong tea is half oxidised. Black tea is fully oxidised.\n",
    "notes/deep/城市.md": "# 城市\n\n北京是中国的首都。上海是最大的港口城市。\n\n深圳毗邻香港。\n",
    "notes/smtp.md": "# Settings\n\nThe parameter email_smtp_port sets the port, 587 by default.\n",
}
