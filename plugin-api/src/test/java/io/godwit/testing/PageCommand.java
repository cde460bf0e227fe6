package io.godwit.testing;

import io.godwit.testing.DocumentPage.Block;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A command line that a page shows: of a block, or in code within the text.
 *
 * @param place the page, and the line of the block
 * @param words the program and its arguments, without quotes; variables stay as they are
 * @param isWhole false for code within the text, which may leave out arguments: {@code godwit-admin transfer}
 */
public record PageCommand(String place, List<String> words, boolean isWhole) {
    private static final Pattern INLINE_CODE = Pattern.compile("`([^`]+)`");
    private static final Pattern FENCE = Pattern.compile("(?ms)^```.*?^```$");
    private static final Pattern HERE_DOCUMENT = Pattern.compile("(?ms)<<'([A-Z]+)'$.*?^\\1$");
    private static final String PROMPT = "$ ";
    private static final String OPERATORS = "|;&()<>\n";

    /** Pages that are written from the programs. */
    private static final Set<String> GENERATED = Set.of("docs/cli.md");

    /**
     * The commands of a program in all pages, without the program: {@code words} has the arguments.
     *
     * @param program without its directory
     */
    public static List<PageCommand> of(List<DocumentPage> pages, String program) {
        Pattern named = Pattern.compile("(.*/)?" + Pattern.quote(program));
        List<PageCommand> found = new ArrayList<>();
        for (DocumentPage page : pages) {
            for (PageCommand command : GENERATED.contains(page.name()) ? List.<PageCommand>of() : commands(page)) {
                for (int i = 0; i < command.words().size(); i++) {
                    if (named.matcher(command.words().get(i)).matches()) {
                        List<String> arguments =
                                command.words().subList(i + 1, command.words().size());
                        found.add(new PageCommand(command.place(), List.copyOf(arguments), command.isWhole()));
                        break;
                    }
                }
            }
        }
        return List.copyOf(found);
    }

    private static List<PageCommand> commands(DocumentPage page) {
        List<PageCommand> commands = new ArrayList<>();
        for (Block block : page.blocks()) {
            if (block.language().isEmpty()) {
                commands.addAll(of(block));
            }
        }
        commands.addAll(inText(page));
        return commands;
    }

    /** What stands as code within the text of a page; much of it is no command. */
    public static List<PageCommand> inText(DocumentPage page) {
        List<PageCommand> found = new ArrayList<>();
        String running = FENCE.matcher(page.text()).replaceAll("").replaceAll("(?m)^ {4}.*$", "");
        Matcher code = INLINE_CODE.matcher(running);
        while (code.find()) {
            split(code.group(1).replace('\n', ' '))
                    .forEach(words -> found.add(new PageCommand(page.name(), words, false)));
        }
        return found;
    }

    /** The commands of a block: of one with prompts, the lines behind them. */
    public static List<PageCommand> of(Block block) {
        String text = HERE_DOCUMENT.matcher(block.stripped()).replaceAll("");
        if (text.startsWith(PROMPT)) {
            StringBuilder prompted = new StringBuilder();
            text.lines()
                    .filter(line -> line.startsWith(PROMPT))
                    .forEach(line ->
                            prompted.append(line.substring(PROMPT.length())).append('\n'));
            text = prompted.toString();
        }
        return split(text).stream()
                .map(words -> new PageCommand(block.place(), words, true))
                .toList();
    }

    /** Splits as a shell does, as far as pages need it: what is between operators counts as a command. */
    private static List<List<String>> split(String text) {
        List<List<String>> commands = new ArrayList<>();
        List<String> words = new ArrayList<>();
        StringBuilder word = new StringBuilder();
        boolean isInWord = false;
        int at = 0;
        while (at < text.length()) {
            char next = text.charAt(at);
            if (next == '\\' && at + 1 < text.length()) {
                if (text.charAt(at + 1) != '\n') {
                    word.append(text.charAt(at + 1));
                    isInWord = true;
                }
                at += 2;
                continue;
            }
            if (next == '#' && !isInWord) {
                int end = text.indexOf('\n', at);
                at = end < 0 ? text.length() : end;
                continue;
            }
            int close = next == '\'' || next == '"' ? text.indexOf(next, at + 1) : -1;
            if (close > 0) {
                word.append(text, at + 1, close);
                isInWord = true;
                at = close + 1;
                continue;
            }
            boolean isOperator = OPERATORS.indexOf(next) >= 0;
            if (!isOperator && !Character.isWhitespace(next)) {
                word.append(next);
                isInWord = true;
            } else if (isInWord) {
                words.add(word.toString());
                word.setLength(0);
                isInWord = false;
            }
            if (isOperator && !words.isEmpty()) {
                commands.add(List.copyOf(words));
                words.clear();
            }
            at++;
        }
        if (isInWord) {
            words.add(word.toString());
        }
        if (!words.isEmpty()) {
            commands.add(List.copyOf(words));
        }
        return commands;
    }
}
