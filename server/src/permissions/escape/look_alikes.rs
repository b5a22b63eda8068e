//! Letters and marks of other scripts that pass for those of a command line.

/// Where the characters of `text` stand, in bytes, that are taken for others: marks that look like those of a shell, and
/// letters of another script in a word with Latin ones, or in one that could be Latin as a whole. A word that is plainly of
/// its own script deceives nobody.
pub(super) fn look_alikes(text: &str) -> Vec<usize> {
    if text.is_ascii() {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut rest = text.char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        if !c.is_alphabetic() {
            found.extend(is_mark(c).then_some(at));
            continue;
        }
        let mut word = vec![(at, c)];
        while let Some(letter) = rest.next_if(|(_, c)| c.is_alphabetic()) {
            word.push(letter);
        }
        let is_mixed = word.iter().any(|(_, c)| c.is_ascii());
        let passes = word.iter().all(|(_, c)| is_twin(*c) || is_wide(*c));
        let deceives = |c: char| is_wide(c) || (is_mixed && is_of_a_near_script(c)) || (passes && is_twin(c));
        found.extend(word.iter().filter(|(_, c)| deceives(*c)).map(|(at, _)| *at));
    }
    found
}

/// Greek, Cyrillic, Armenian and Cherokee: scripts with letters like Latin ones.
fn is_of_a_near_script(c: char) -> bool {
    matches!(u32::from(c), 0x0370..=0x03FF | 0x0400..=0x052F | 0x0531..=0x058F | 0x13A0..=0x13FF | 0xAB70..=0xABBF)
}

/// Latin letters in another form: those of full width, and those for formulas.
fn is_wide(c: char) -> bool {
    matches!(u32::from(c), 0xFF21..=0xFF3A | 0xFF41..=0xFF5A | 0x1_D400..=0x1_D6A3)
}

/// Letters that can't be told from Latin ones in most fonts.
fn is_twin(c: char) -> bool {
    "аеорсухіјѕһԁԛԝӏАВЕКМНОРСТУХІЈЅԚԜӀΑΒΕΖΗΙΚΜΝΟΡΤΥΧορν".contains(c)
}

/// Hyphens, stops, slashes, colons and semicolons that a shell takes for none, and ASCII marks of full width.
fn is_mark(c: char) -> bool {
    matches!(
        u32::from(c),
        0x037E | 0x2010..=0x2012 | 0x2024 | 0x2044 | 0x2215 | 0x2236 | 0x29F8 | 0xA789 | 0xFE52 | 0xFE63
            | 0xFF01..=0xFF20 | 0xFF3B..=0xFF40 | 0xFF5B..=0xFF5E
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
    }

    #[test]
    fn other_scripts_are_themselves() {
        for text in [
            "echo привет",
            "git commit -m 'größe – naïve'",
            "echo 進む",
            "ls Ελλάδα",
            "echo “it’s” — so",
            "a/b",
        ] {
            check(text, "");
        }
    }
}
