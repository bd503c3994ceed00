"""Writes a journal with RedNotebook's own modules (python3 make-rednotebook OUT).

RedNotebook stores what is typed as it is, so this is what its window would have written.
"""
import datetime, sys
sys.path.insert(0, "/usr/share/rednotebook")
from rednotebook import data, storage

texts = {
    (2025, 1, 1): "**Bold**, //italic//, __underlined__, --gone-- and ``mono``.\n\n"
    "=== Morning ===\n\n- one\n- two\n  - inner\n\n+ first\n+ second\n\n"
    "See [the lake \"\"https://example.org/a//b\"\"] and http://example.org/x--y.\n"
    "[\"\"file:///home/me/Pictures/ice\"\".jpg?400]\n#winter and #눈",
    (2025, 1, 2): "오늘은 한강을 걸었다. 🎉\n\n|| day | snow |\n| Monday | 2 cm |\n| Tuesday | none |\n\n====================\nYes: \"quoted\" 'text' \\ end",
    (2024, 12, 31): "  leading blanks\nИтог года\n\n```\ncode **stays**\n```\n",
    (2024, 2, 29): "",
}
categories = {
    (2025, 1, 1): {"family": None, "two words": None, "Ideas": {"build a boat": None, "learn 한글": None}},
    (2024, 2, 29): {"Movies": {"Stalker": None}},
}
months = {}
for (year, month, number), text in sorted(texts.items()):
    key = storage.format_year_and_month(year, month)
    if key not in months:
        months[key] = data.Month(year, month)
    day = months[key].get_day(number)
    day.content = {"text": text, **categories.get((year, month, number), {})}
    months[key].edited = True
storage.save_months_to_disk(months, sys.argv[1])
