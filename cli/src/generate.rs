//! `barewire completions` and `barewire man`: written from the definition of the command line, so that they cannot differ
//! from it.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Command;
use clap_complete::Shell;
use clap_mangen::Man;

use crate::streams;

/// Arguments of `completions`.
#[derive(clap::Args)]
#[command(after_help = "For bash, for example: barewire completions bash > \
    ~/.local/share/bash-completion/completions/barewire")]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

pub(crate) fn completions(arguments: &Completions, mut command: Command) -> Result<ExitCode, String> {
    let mut text = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, "barewire", &mut text);
    write(&text)
}

/// One page for the program, with a section for each command.
pub(crate) fn man(command: Command) -> Result<ExitCode, String> {
    let mut text = Vec::new();
    page(command, &mut text).map_err(|error| format!("cannot write the page: {error}"))?;
    write(&text)
}

fn page(mut command: Command, text: &mut Vec<u8>) -> io::Result<()> {
    // Usage lines name the whole command.
    command.build();
    let commands: Vec<Command> = command.get_subcommands().cloned().collect();
    let man = Man::new(command);
    man.render_title(text)?;
    man.render_name_section(text)?;
    man.render_synopsis_section(text)?;
    man.render_description_section(text)?;
    for command in commands {
        let name = command.get_name().to_uppercase();
        if name != "HELP" {
            writeln!(text, ".SH {name}")?;
            sections(&Man::new(command), text)?;
        }
    }
    man.render_version_section(text)
}

/// The sections of a command, with headings of the second level.
fn sections(man: &Man, text: &mut Vec<u8>) -> io::Result<()> {
    let mut own = Vec::new();
    man.render_description_section(&mut own)?;
    man.render_synopsis_section(&mut own)?;
    man.render_options_section(&mut own)?;
    man.render_extra_section(&mut own)?;
    // The apostrophe is already defined at the start of the page.
    let is_known = |line: &str| line.starts_with(".ie \\n(.g .ds Aq") || line.starts_with(".el .ds Aq");
    for line in String::from_utf8_lossy(&own).lines().filter(|line| !is_known(line)) {
        match line.strip_prefix(".SH ") {
            Some(heading) => writeln!(text, ".SS {heading}")?,
            None => writeln!(text, "{line}")?,
        }
    }
    Ok(())
}

fn write(text: &[u8]) -> Result<ExitCode, String> {
    let mut output = streams::output();
    streams::written(output.write_all(text).and_then(|()| output.flush()))?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, ValueEnum};

    use super::*;
    use crate::Arguments;

    #[test]
    fn the_definition_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn the_page_has_every_command_and_option() {
        let mut text = Vec::new();
        page(Arguments::command(), &mut text).expect("memory");
        // Hyphens are escaped, so that they stay hyphens.
        let text = String::from_utf8(text).expect("UTF-8").replace("\\-", "-");
        let mut all = Arguments::command();
        all.build();
        for command in all.get_subcommands().filter(|command| command.get_name() != "help") {
            let heading = format!("\n.SH {}\n", command.get_name().to_uppercase());
            assert_eq!(text.matches(&heading).count(), 1, "{heading}");
            for option in command.get_opts().filter_map(|option| option.get_long()) {
                assert!(text.contains(&format!("--{option}")), "{option} of {}", command.get_name());
            }
        }
    }

    #[test]
    fn every_shell_completes_every_command() {
        for shell in Shell::value_variants() {
            let mut text = Vec::new();
            clap_complete::generate(*shell, &mut Arguments::command(), "barewire", &mut text);
            let text = String::from_utf8(text).expect("UTF-8");
            for name in ["serve", "classify", "call", "tap", "check", "completions"] {
                assert!(text.contains(name), "{name} for {shell}");
            }
        }
    }
}
