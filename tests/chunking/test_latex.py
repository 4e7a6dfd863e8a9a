"""LaTeX source: structure, what gives way to text, macros and what is broken."""

from __future__ import annotations

import pytest

from chunking.loaders import load_bytes
from chunking.types import Document
from tests.chunking.blocks import covered, kinds


def read(source: str) -> Document:
    return load_bytes(source.encode(), source="a.tex")


def test_latex_structure() -> None:
    source = r"""
\documentclass{article} % class
\title{On {\em Retrieval}}
\begin{document}
\maketitle
\begin{abstract}We retrieve 50\% more.\end{abstract}
\section{Intro\label{sec:a}}
First \textbf{bold} text~with \cite[p.~3]{smith} and \href{https://x.org}{a link}. % gone
Caf\'e na\"{\i}ve, $a_{i} = \frac{1}{2}$, ``quoted''---done.\footnote{A note.}

Second paragraph.
\begin{equation}
E = mc^2
\end{equation}
\subsection*{Lists}
\begin{enumerate}
  \item one
  \item two \begin{itemize}\item inner\end{itemize}
\end{enumerate}
\begin{table}\caption{Some values}
\begin{tabular}{l|c}\hline
name & value \\ \hline
a \& b & 1 \\
\end{tabular}\end{table}
\begin{lstlisting}[language=Python]
# 100% code
  x = {1}
\end{lstlisting}
\begin{thebibliography}{9}
\bibitem{smith} A. Smith. A title. 2020.
\end{thebibliography}
\end{document}
"""
    document = read(source)
    assert document.title == "On Retrieval"
    assert kinds(document) == [
        ("heading", "Abstract"),
        ("paragraph", "We retrieve 50% more."),
        ("heading", "Intro"),
        (
            "paragraph",
            "First bold text with [smith] and a link (https://x.org). Café naïve, "
            r"$a_{i} = \frac{1}{2}$, “quoted”—done. (A note.)",
        ),
        ("paragraph", "Second paragraph."),
        ("math", "\\begin{equation}\nE = mc^2\n\\end{equation}"),
        ("heading", "Lists"),
        ("list", "1. one\n2. two\n  - inner"),
        ("paragraph", "Some values"),
        ("table", "| name | value |\n| --- | --- |\n| a & b | 1 |"),
        ("code", "# 100% code\n  x = {1}"),
        ("heading", "References"),
        ("list", "[1] A. Smith. A title. 2020."),
    ]
    assert document.blocks[7].heading_path == ("Intro", "Lists")
    assert "reference list" in document.notes[0]
    assert covered(document)


@pytest.mark.parametrize(
    "source",
    ["\\begin{tabular}{l", "\\section{open", "\\[ x", "$" * 99, "{" * 5000 + "x", "\\item \\end{itemize} x", "\\'"],
)
def test_broken_latex_is_read_as_far_as_it_goes(source: str) -> None:
    document = read(f"Some words.\n\n{source}")
    assert document.text.startswith("Some words.")


def test_macros_are_written_out_but_not_in_code() -> None:
    source = r"""
\newcommand{\ours}{\textsc{CorRAG}\xspace}
\newcommand{\pair}[2]{(#1, #2)}
\newcommand\better[1][much]{#1 better}
\def\both#1{\ours and #1}
\renewcommand{\thesection}{\Roman{section}}
\title{On \ours}
\begin{document}
\section{\ours}
\ours, \both{others} and \pair{a}{b} are \better; \better[slightly] than \ours{} without. % \ours
\begin{verbatim}
\ours 100%
\end{verbatim}
"""
    document = read(source)
    assert document.title == "On CorRAG"
    assert kinds(document) == [
        ("heading", "CorRAG"),
        ("paragraph", "CorRAG, CorRAG and others and (a, b) are much better; slightly better than CorRAG without."),
        ("code", "\\ours 100%"),
    ]


def test_macros_without_end_are_left_as_they_are() -> None:
    doubling = "".join(
        rf"\def\{a}{{\{b}\{b}\{b}\{b}\{b}\{b}}}" for a, b in zip("abcdefghijk", "bcdefghijkl", strict=True)
    )
    assert read(rf"\newcommand{{\again}}{{\again\again}}{doubling} Words \again \a stay.").text == "Words stay."


def test_options_of_environments_and_inline_code() -> None:
    source = r"""\begin{figure}[t]\caption{A figure.}\end{figure}
\begin{theorem}[Main result] It holds.\end{theorem}
\verb|a_b|, \verb*!{x}! and \lstinline[language=C]+int *x;+ are code.
\begin{tabular}{lcc} & \multicolumn{2}{c}{Recall} \\ \cmidrule(lr){2-3} Method & @1 & @5 \\ \end{tabular}"""
    assert kinds(read(source)) == [
        ("paragraph", "A figure."),
        ("paragraph", "(Main result) It holds."),
        ("paragraph", "a_b, {x} and int *x; are code."),
        ("table", "|  | Recall |  |\n| --- | --- | --- |\n| Method | @1 | @5 |"),
    ]


def test_percent_signs_of_addresses_and_code_begin_no_comment() -> None:
    document = read(
        r"See \url{https://ex.com/a%20b/~me} and \href{https://ex.com/50%}{this}. \verb|50% of| it. % gone \verb|x|"
        "\nNext \\verb|\\begin{itemize}| is code.% gone\n\n100\\% of it. \\\\% gone\nEnd."
    )
    assert kinds(document) == [
        (
            "paragraph",
            "See https://ex.com/a%20b/~me and this (https://ex.com/50%). 50% of it. Next \\begin{itemize} is code.",
        ),
        ("paragraph", "100% of it. End."),
    ]


def test_environments_end_where_they_do() -> None:
    aligned = "\\begin{align}\n\\begin{aligned} a &= b \\end{aligned} \\\\\nc &= d\n\\end{align}"
    starred = "\\begin{equation*}\nx\n\\end{equation*}"
    tabular = (
        r"\begin{tabular}{ll}Key & Note \\ A & \begin{tabular}{l} p \\ q & 5\% \end{tabular} \\ B & r\end{tabular}"
    )
    document = read(f"{aligned}\nOne.\n{starred}\nTwo.\n{tabular}\nThree.")
    assert kinds(document) == [
        ("math", aligned),
        ("paragraph", "One."),
        ("math", starred),
        ("paragraph", "Two."),
        ("table", "| Key | Note |\n| --- | --- |\n| A | p; q 5% |\n| B | r |"),
        ("paragraph", "Three."),
    ]


def test_cells_over_rows_are_said_in_each_and_cells_over_columns_once() -> None:
    document = read(
        r"\begin{tabular}{lll}Name & Speed & Note \\ \multirow{2}{*}{Alpha} & 10 & x \\ & 20 & y \\"
        r"\multicolumn{2}{l}{Beta} & none \\ & 5 & z \end{tabular}"
    )
    rows = document.text.split("\n")[2:]
    assert rows == ["| Alpha | 10 | x |", "| Alpha | 20 | y |", "| Beta |  | none |", "|  | 5 | z |"]


def test_settings_of_environments_are_no_text_and_notes_stand_apart() -> None:
    document = read(
        r"\begin{CJK*}{UTF8}{gbsn}本文介绍方法。\end{CJK*}"
        "\n\n"
        r"\begin{multicols}{2}[A head]Two columns.\end{multicols}"
        "\n\n"
        r"\begin{minipage}[t]{0.5\textwidth}Mini text.\end{minipage}"
        "\n\n"
        r"\begin{wrapfigure}[12]{r}[1pt]{5cm}\caption{A fox.}\end{wrapfigure}"
        "\n\n"
        r"The limit is five\footnote[2]{Raised by \textbf{us} in $x_{2}$.} per user.\footnote{}"
    )
    assert [text for _, text in kinds(document)] == [
        *("本文介绍方法。", "Two columns.", "Mini text.", "A fox."),
        "The limit is five (Raised by us in $x_{2}$.) per user.",
    ]


def test_latex_slides_have_their_titles_as_headings() -> None:
    source = r"""\documentclass{beamer}
    \begin{document}\frame{\titlepage}
    \section{Motivation}
    \begin{frame}[fragile]{Why correct it?}{A subtitle}
    Passages may be wrong.
    \begin{itemize}[<+->]
    \item<1-> First point \pause
    \item<2-> Where $x < 2$ and \verb|a <b> c|.
    \end{itemize}
    \end{frame}
    \begin{frame}
    \frametitle<presentation>{Numbers \& tables}
    \begin{columns}[T]\begin{column}{0.5\textwidth}
    \begin{block}{Definition} A grade is a probability. \end{block}
    \end{column}\end{columns}
    \only<3>{Shown \alert<2>{late}.}
    \note{Smile.}
    \end{frame}
    \frame[plain]{\frametitle{Thanks}Questions?}
    \end{document}"""
    document = load_bytes(source.encode(), source="a.tex")
    assert [(document.text[b.start : b.end], b.heading_path) for b in document.blocks if b.kind != "heading"] == [
        ("A subtitle", ("Motivation", "Why correct it?")),
        ("Passages may be wrong.", ("Motivation", "Why correct it?")),
        ("- First point\n- Where $x < 2$ and a <b> c.", ("Motivation", "Why correct it?")),
        ("A grade is a probability.", ("Motivation", "Numbers & tables", "Definition")),
        ("Shown late.", ("Motivation", "Numbers & tables")),
        ("Smile.", ("Motivation", "Numbers & tables")),
        ("Questions?", ("Motivation", "Thanks")),
    ]


@pytest.mark.parametrize(
    ("source", "read"),
    [
        (r"\SI{9.81}{\metre\per\second\squared}", "9.81 m/s^2"),
        (r"\qty{5}{\kilo\gram\per\cubic\metre}", "5 kg/m^3"),
        (r"\SI[per-mode=symbol]{3}{m.s^{-1}}", "3 m·s^-1"),
        (r"\SI{37}{\degreeCelsius}", "37 °C"),
        (r"\SI{5}{\percent}", "5%"),
        (r"\SI{12}{\micro\litre}", "12 µL"),
        (r"\SIrange{1}{5}{\kilo\gram}", "1–5 kg"),
        (r"\SIlist{1;2;3}{\metre}", "1, 2, 3 m"),
        (r"\si{\per\second}", "1/s"),
        (r"\num{1.5e6} and \ang{45}", "1.5e6 and 45°"),
        (r"\SI{5}{\smoot}", "5 smoot"),
    ],
)
def test_latex_quantities_keep_their_units(source: str, read: str) -> None:
    assert load_bytes(f"It is {source}.".encode(), source="a.tex").text == f"It is {read}."
