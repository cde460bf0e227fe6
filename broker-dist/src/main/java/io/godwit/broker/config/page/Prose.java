package io.godwit.broker.config.page;

import java.util.ArrayList;
import java.util.List;

/** Formats the texts of keys: lines that begin with a blank are kept, all others are filled. */
final class Prose {
    /** The largest width of a line. */
    static final int WIDTH = 120;

    private Prose() {}

    /** The lines of a text, each beginning with {@code prefix}. */
    static List<String> lines(String text, String prefix) {
        List<String> lines = new ArrayList<>();
        StringBuilder filled = new StringBuilder();
        for (String line : text.lines().toList()) {
            if (line.isBlank() || line.startsWith(" ")) {
                flush(filled, prefix, lines);
                lines.add((prefix + line).stripTrailing());
            } else {
                for (String word : line.strip().split(" ", -1)) {
                    if (filled.length() > 0 && prefix.length() + filled.length() + 1 + word.length() > WIDTH) {
                        flush(filled, prefix, lines);
                    }
                    filled.append(filled.isEmpty() ? "" : " ").append(word);
                }
            }
        }
        flush(filled, prefix, lines);
        return lines;
    }

    private static void flush(StringBuilder filled, String prefix, List<String> lines) {
        if (!filled.isEmpty()) {
            lines.add(prefix + filled);
            filled.setLength(0);
        }
    }
}
