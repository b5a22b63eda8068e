use super::*;

const CHAT: &str = "# Copydesk\n\n## You\n\nhi\n\n## Copydesk\n\n## You\n";

/// An editor with the chat open, and a clock: what the writer sends goes into the text at once or never.
struct Desk {
    writer: Writer,
    text: Text,
    now: Instant,
    start: Instant,
    log: Vec<String>,
}

impl Desk {
    fn new() -> Self {
        let start = Instant::now();
        Self { writer: Writer::default(), text: Text::from(CHAT), now: start, start, log: Vec::new() }
    }

    fn wait(&mut self, millis: u64) {
        self.now += Duration::from_millis(millis);
    }

    /// Does what the writer wants now; an edit is applied and echoed.
    fn step(&mut self) -> Next {
        let next = self.next();
        if let Next::Edit(change) = &next {
            self.text.apply(change);
            self.writer.changed(&self.text, self.now);
        }
        next
    }

    fn next(&mut self) -> Next {
        let next = self.writer.next(&self.text, self.now);
        let at = self.now.duration_since(self.start).as_millis();
        self.log.push(match &next {
            Next::Wait => format!("{at}: nothing"),
            Next::At(then) => format!("{at}: not before {}", then.duration_since(self.start).as_millis()),
            Next::Edit(change) => format!("{at}: {:?}", change.text),
        });
        next
    }

    fn type_at_end(&mut self, words: &str) {
        let end = self.text.len();
        self.text.replace(end..end, words);
        self.writer.changed(&self.text, self.now);
    }
}

#[test]
fn paragraphs_that_came_together_go_together_and_two_edits_a_second_are_enough() {
    let mut desk = Desk::new();
    desk.writer.push("One.".to_owned());
    desk.writer.push("Two.".to_owned());
    desk.step();
    desk.writer.push("Three.".to_owned());
    desk.step();
    desk.wait(500);
    desk.step();
    desk.step();
    insta::assert_snapshot!(desk.log.join("\n"), @r#"
    0: "One.\n\nTwo.\n\n"
    0: not before 500
    500: "Three.\n\n"
    500: nothing
    "#);
    insta::assert_snapshot!(desk.text, @r"
    # Copydesk

    ## You

    hi

    ## Copydesk

    One.

    Two.

    Three.

    ## You
    ");
}

#[test]
fn nothing_is_written_while_the_user_types() {
    let mut desk = Desk::new();
    desk.writer.push("One.".to_owned());
    for _ in 0..4 {
        desk.type_at_end("x");
        desk.step();
        desk.wait(700);
    }
    desk.wait(300);
    desk.step();
    insta::assert_snapshot!(desk.log.join("\n"), @r#"
    0: not before 1000
    700: not before 1700
    1400: not before 2400
    2100: not before 3100
    3100: "One.\n\n"
    "#);
    assert!(desk.text.to_string().ends_with("## Copydesk\n\nOne.\n\n## You\nxxxx"));
}

#[test]
fn the_next_edit_waits_for_the_echo_of_the_last() {
    let mut desk = Desk::new();
    desk.writer.push("One.".to_owned());
    let Next::Edit(change) = desk.next() else { panic!("an edit") };
    desk.writer.push("Two.".to_owned());
    desk.wait(3000);
    desk.next();
    desk.text.apply(&change);
    desk.writer.changed(&desk.text.clone(), desk.now);
    desk.next();
    insta::assert_snapshot!(desk.log.join("\n"), @r#"
    0: "One.\n\n"
    3000: not before 5000
    3000: "Two.\n\n"
    "#);
}

#[test]
fn what_was_lost_is_sent_again_and_what_arrived_is_not() {
    let mut lost = Desk::new();
    lost.writer.push("One.".to_owned());
    lost.next();
    lost.wait(5000);
    lost.step();
    assert_eq!(lost.text.to_string().matches("One.").count(), 1);

    // The editor said no, and did it all the same.
    let mut refused = Desk::new();
    refused.writer.push("One.".to_owned());
    let Next::Edit(change) = refused.next() else { panic!("an edit") };
    refused.text.apply(&change);
    refused.writer.refused(&refused.text.clone());
    refused.wait(5000);
    assert_eq!(refused.next(), Next::Wait);
}

#[test]
fn words_typed_into_the_same_change_as_the_echo_still_make_a_pause() {
    let mut desk = Desk::new();
    desk.writer.push("One.".to_owned());
    let Next::Edit(change) = desk.next() else { panic!("an edit") };
    desk.text.apply(&change);
    desk.writer.push("Two.".to_owned());
    desk.wait(600);
    desk.type_at_end("and");
    desk.next();
    insta::assert_snapshot!(desk.log.join("\n"), @r#"
    0: "One.\n\n"
    600: not before 1600
    "#);
}

#[test]
fn a_prompt_is_answered_below_it_and_only_once() {
    let mut desk = Desk::new();
    desk.type_at_end("\nmake get shorter\n");
    desk.writer.begin_answer("make get shorter".to_owned());
    assert!(desk.writer.is_sent("make get shorter"));
    desk.writer.push("Done.".to_owned());
    desk.wait(1000);
    desk.step();
    desk.wait(500);
    desk.step();
    assert!(!desk.writer.is_sent("make get shorter"));
    insta::assert_snapshot!(desk.text, @r"
    # Copydesk

    ## You

    hi

    ## Copydesk

    ## You

    make get shorter

    ## Copydesk

    Done.

    ## You
    ");
}

#[test]
fn a_closed_chat_takes_everything_at_once() {
    let mut writer = Writer::default();
    writer.begin_answer("hi".to_owned());
    writer.push("Hello.".to_owned());
    writer.push("* Read a.rs".to_owned());
    writer.push("* Read b.rs".to_owned());
    insta::assert_snapshot!(writer.flush(&Text::from("# Copydesk\n\n## You\n\nhi\n")), @r"
    # Copydesk

    ## You

    hi

    ## Copydesk

    Hello.

    * Read a.rs
    * Read b.rs

    ## You
    ");
    assert!(writer.is_idle());
}

#[test]
fn a_chat_that_nobody_opens_does_not_grow_for_ever() {
    let mut writer = Writer::default();
    for _ in 0..50 {
        writer.push("x".repeat(100_000));
    }
    assert!(writer.flush(&Text::from(CHAT)).len() < MOST + CHAT.len() + 1000);
}
