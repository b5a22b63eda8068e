//! Letters and marks of other scripts that pass for those of a command line.

/// Where the characters of `text` stand, in bytes, that are taken for others: marks that look like those of a shell, and
/// letters of another script in a word with Latin ones, or in one that could be Latin as a whole. A word that is plainly of
/// its own script, or of a language with Latin letters of its own, deceives nobody.
pub(super) fn look_alikes(text: &str) -> Vec<usize> {
    if text.is_ascii() {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut before = ' ';
    let mut rest = text.char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        if !c.is_alphabetic() {
            let next = rest.peek().map_or(' ', |(_, c)| *c);
            found.extend((is_mark(c) || begins_an_option(before, c, next)).then_some(at));
            before = c;
            continue;
        }
        let mut word = vec![(at, c)];
        while let Some(letter) = rest.next_if(|(_, c)| c.is_alphabetic()) {
            word.push(letter);
        }
        let all = |is: fn(char) -> bool| word.iter().all(|(_, c)| is(*c));
        let is_mixed = word.iter().any(|(_, c)| c.is_ascii());
        let passes = all(|c| is_twin(c) || is_form(c) || is_wide(c));
        let looks_plain =
            all(|c| c.is_ascii() || is_twin(c) || is_form(c) || is_wide(c) || is_of_a_near_script(c));
        let deceives = |c: char| {
            is_wide(c)
                || is_bar(c)
                || (is_mixed && is_of_a_near_script(c))
                || (passes && is_twin(c))
                || (looks_plain && is_form(c))
        };
        found.extend(word.iter().filter(|(_, c)| deceives(*c)).map(|(at, _)| *at));
        before = 'a';
    }
    found
}

/// Greek, Cyrillic, Armenian, Cherokee, Coptic, Lisu and Deseret: scripts with letters like Latin ones.
fn is_of_a_near_script(c: char) -> bool {
    matches!(
        u32::from(c),
        0x0370..=0x03FF | 0x0400..=0x052F | 0x0531..=0x058F | 0x13A0..=0x13FF | 0x2C80..=0x2CFF | 0xA4D0..=0xA4FF
            | 0xAB70..=0xABBF | 0x1_0400..=0x1_044F
    )
}

/// Latin letters in another form: those of full width, and those for formulas.
fn is_wide(c: char) -> bool {
    matches!(
        u32::from(c),
        0x210A..=0x2113 | 0x2115 | 0x2119..=0x211D | 0x2124 | 0x2128 | 0x212A | 0x212C..=0x212D | 0x212F..=0x2131
            | 0x2133..=0x2134 | 0x2145..=0x2149 | 0xFF21..=0xFF3A | 0xFF41..=0xFF5A | 0x1_D400..=0x1_D6A5
    )
}

/// Latin letters of some languages, and the letters of numbers, that are nearly those of ASCII. A word of those languages
/// has other letters too.
fn is_form(c: char) -> bool {
    matches!(u32::from(c), 0x2160..=0x217F) || "ıȷɑɡɩᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘꞯʀꜱᴛᴜᴠᴡʏᴢ".contains(c)
}

/// Letters that can't be told from Latin ones in most fonts.
fn is_twin(c: char) -> bool {
    const NEAR: &str = "аеорсухіјѕһԁԛԝӏАВЕКМНОРСТУХІЈЅԚԜӀΑΒΕΖΗΙΚΜΝΟΡΤΥΧορν";
    const COPTIC: &str = "ⲞⲟⲢⲣⲤⲥⲎⲒⲔⲘⲚⲦⲂⲬⲨⲌ";
    const LISU: &str = "ꓐꓑꓓꓔꓖꓗꓙꓚꓜꓝꓟꓠꓡꓢꓣꓦꓧꓪꓫꓬꓮꓰꓲꓳꓴ";
    const DESERET: &str = "𐐄𐐬𐐕𐐽𐐠𐑈𐐛𐑃";
    [NEAR, COPTIC, LISU, DESERET].iter().any(|letters| letters.contains(c))
}

/// Clicks of southern Africa, which are letters: a bar, two, and an exclamation mark.
fn is_bar(c: char) -> bool {
    matches!(c, 'ǀ' | 'ǁ' | 'ǃ')
}

/// A dash before the letters of a word is taken for that of an option; between words it is a dash.
fn begins_an_option(before: char, c: char, next: char) -> bool {
    matches!(c, '–' | '—' | '―')
        && !before.is_alphanumeric()
        && (next.is_alphanumeric() || "-–—―".contains(next))
}

/// Hyphens, minus signs, stops, slashes, colons, semicolons, bars, tildes and stars that a shell takes for none, ASCII marks
/// of full width and small ones, figures for formulas, and strokes that are laid over a letter.
fn is_mark(c: char) -> bool {
    matches!(
        u32::from(c),
        0x02C2..=0x02C3 | 0x02D7 | 0x02DC | 0x0335..=0x0338 | 0x037E | 0x2010..=0x2012 | 0x2016 | 0x2024..=0x2025
            | 0x2043..=0x2044 | 0x204E | 0x2053 | 0x20D2..=0x20D3 | 0x20E5..=0x20E6 | 0x20EA..=0x20EB | 0x2212
            | 0x2215..=0x2217 | 0x2223 | 0x2225 | 0x2236 | 0x223C | 0x23D0 | 0x2758 | 0x2796 | 0x29F5 | 0x29F8..=0x29F9
            | 0xA789 | 0xFE50..=0xFE6B | 0xFF01..=0xFF20 | 0xFF3B..=0xFF40 | 0xFF5B..=0xFF5E | 0x1_D7CE..=0x1_D7FF
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, wanted: &str) {
        let found = look_alikes(text).into_iter().map(|at| text[at..].chars().next().expect("a character"));
        assert_eq!(found.collect::<String>(), wanted, "{text}");
    }

    #[test]
    fn what_passes_for_latin_is_found() {
        check("giт diff", "т");
        check("рm -rf x", "р");
        check("сору a b", "сору");
        check("ｒｍ x", "ｒｍ");
        check("rm \u{2010}rf a\u{2215}b", "\u{2010}\u{2215}");
        check("cat а.txt", "а");
        check("ɡit diff", "ɡ");
        check("gıt diff", "ı");
        check("ⅿv ⅽd", "ⅿⅽ");
        check("ⅼⅽ x", "ⅼⅽ");
        check("ℓs", "ℓ");
        check("cuʀʟ x", "ʀʟ");
        check("ꓡꓢ", "ꓡꓢ");
        check("ⲟd gⲓt", "ⲟⲓ");
        check("𐐬d", "𐐬");
        check("g\u{335}it a\u{338}b", "\u{335}\u{338}");
        check("rm \u{2212}rf \u{2013}f \u{2014}\u{2014}force", "\u{2212}\u{2013}\u{2014}\u{2014}");
        check("a \u{2223} b \u{1c0} sh\u{1c0}", "\u{2223}\u{1c0}\u{1c0}");
        check(
            "\u{223c}/x \u{fe60} \u{fe54}\u{fe69}HOME \u{fe50}\u{fe6b}",
            "\u{223c}\u{fe60}\u{fe54}\u{fe69}\u{fe50}\u{fe6b}",
        );
    }

    #[test]
    fn other_scripts_are_themselves() {
        for text in [
            "echo привет",
            "git commit -m 'größe – naïve'",
            "echo 進む",
            "ls Ελλάδα",
            "echo “it’s” — so",
            "echo one–two 1–2 –",
            "echo ışık ɡuːɡl",
            "echo Ⲁⲃⲅ 進ℵ",
            "a/b",
        ] {
            check(text, "");
        }
    }
}
