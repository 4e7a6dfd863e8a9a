"""English abbreviations by what a full stop after them means, lower case and without the stop."""

from __future__ import annotations


def _words(text: str) -> list[str]:
    return text.split()


# Never the end of a sentence: a name or a word must follow.
TITLES = frozenset(
    _words(
        """
        dr mr mrs ms mx prof st gen rep sen gov capt cpt lt col sgt maj cmdr rev hon pres supt messrs mme mlle
        fr e.g i.e cf viz vs ca approx resp incl esp ibid
        """
    )
)
# The end only where no number, label or bracket follows: Fig. 1, No. 7, pp. 3, Sec. A.
REFERENCES = frozenset(
    _words(
        """
        fig figs eq eqs eqn sec secs sect ch chap chs tab tabs ref refs no nos vol vols pp p pg art arts app
        para ex def thm lem prop cor rem ver v al lit op appx
        """
    )
)
# The end only where a word follows that usually opens a sentence: 5 p.m. The, Acme Inc. It.
EITHER = frozenset(
    _words(
        """
        a.m p.m am pm u.s u.k u.n e.u u.s.a d.c b.c a.d inc ltd co corp bros llc plc dept univ est etc jr sr
        ph.d m.d b.a m.a b.sc m.sc assn ave blvd rd jan feb mar apr jun jul aug sep sept oct nov dec mon tue
        tues wed thu thurs fri sat sun min max avg std temp n.b p.s r.s.v.p i.d w.r.t a.k.a mt
        """
    )
)
# Words that often open a sentence.
STARTERS = frozenset(
    _words(
        """
        the this that these those it its he she they we you i there here in on at for from by with as if when
        while after before since because although though however therefore thus hence moreover furthermore
        meanwhile then but and or so yet a an our my your his her their what why how who where which all any
        some no not each every both many most once until let please see use do does did is are was were can
        could will would should may might also another one first second third finally next
        """
    )
)
