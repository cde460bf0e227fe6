package io.godwit.kv.member;

import java.util.Locale;

/** Whether a node without data may begin a cluster; see {@link JoinRule}. */
enum Founding {
    /** It waits for an existing cluster. */
    NEVER("false"),
    /** It begins a cluster together with the other seeds: the first of them founds it, the others join. */
    TOGETHER("true"),
    /** It begins a cluster alone; the operator is responsible for there being no other. */
    ALONE("alone");

    private final String text;

    Founding(String text) {
        this.text = text;
    }

    /** The text that is announced to other nodes. */
    String text() {
        return text;
    }

    /** Parses an announcement; an empty or unknown one means {@link #NEVER}. */
    static Founding of(String announced) {
        return switch (announced.toLowerCase(Locale.ROOT)) {
            case "true" -> TOGETHER;
            case "alone" -> ALONE;
            default -> NEVER;
        };
    }
}
