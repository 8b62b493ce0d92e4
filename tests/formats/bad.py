"""Parts of files that must be refused, shared by the corpora of the formats: label -> (value, code)."""

BAD_IDS = {
    "NUL": ("a\x00b", "id-control"),
    "start of heading": ("a\x01b", "id-control"),
    "escape": ("a\x1bb", "id-control"),
    "delete": ("a\x7fb", "id-control"),
    "C1 control": ("a\x80b", "id-control"),
    "unit separator": ("a\x1fb", "id-space"),
    "vertical tab": ("a\x0bb", "id-space"),
    "form feed": ("a\x0cb", "id-space"),
    "carriage return": ("a\rb", "id-space"),
    "next line": ("a\x85b", "id-space"),
    "no-break space": ("a\xa0b", "id-space"),
    "no-break space at the end": ("ab\xa0", "id-space"),
    "only a no-break space": ("\xa0", "id-space"),
    "ogham space": ("a\u1680b", "id-space"),
    "em space": ("a\u2003b", "id-space"),
    "line separator": ("a\u2028b", "id-space"),
    "paragraph separator": ("a\u2029b", "id-space"),
    "narrow no-break space": ("a\u202fb", "id-space"),
    "ideographic space": ("a\u3000b", "id-space"),
    "byte order mark": ("a\ufeffb", "id-control"),
    "513 letters": ("x" * 513, "id-long"),
    "257 two-byte letters": ("é" * 257, "id-long"),
}
BAD_SCORES = {
    name: (name, "score")
    for name in (
        *(
            "nan",
            "NaN",
            "-nan",
            "inf",
            "-inf",
            "Infinity",
            "1e999",
            "-1e999",
            "1_000",
            "١٢",
            "１",
            "½",
            "0x10",
        ),
        *("1,5", "1.2.3", "--1", "e5", ".", "1e", "1e+", "+", "1f", "twelve", "1" * 101),
    )
}
BAD_RANKS = {
    name: (name, "rank")
    for name in ("-1", "+1", "1.5", "1.", "1.0e0", "x", "١", "1_0", "2147483648", "99999999999", "1e3", "²")
}
BAD_GRADES = {
    "negative": ("-1", "negative"),
    "very negative": ("-2.0", "negative"),
    **{
        name: (name, "off-scale")
        for name in (
            "2.5",
            "nan",
            "inf",
            "1e999",
            "good",
            "1_0",
            "٣",
            "0x1",
            "--1",
            "1000001",
            "3 stars"[:1] + "*",
        )
    },
}
# What a program that only looks for blanks and numbers would take, and rightly.
GOOD_IDS = (
    "d-1",
    "=1+1",
    "é" * 256,
    "x" * 512,
    "日本",
    "a,b",
    'a"b',
    "'",
    "-5",
    "a;b",
    "#",
    "\u200b",
    "A",
    "a",
    "007",
)
GOOD_SCORES = ("1", "+1.5", "-0.0", ".5", "5.", "1e5", "1E-5", "1e-400", "9007199254740993", "0" * 50 + "1")
