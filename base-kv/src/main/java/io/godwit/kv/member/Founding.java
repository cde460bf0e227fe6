package io.godwit.kv.member;

import java.util.Locale;

/** Whether a node without data may begin a cluster; see {@link JoinRule}. */
enum Founding {
    /** It waits for one that there is. */
    NEVER("false"),
    /** It begins one together with the other seeds: the first of them founds, the others join. */
    TOGETHER("true"),
    /** It begins one by itself, whoever it sees: its operator answers for there being no other. */
    ALONE("alone");

    private final String text;

    Founding(String text) {
        this.text = text;
    }

    /** As it is announced to other nodes. */
    String text() {
        return text;
    }

    /** What a node has announced; one that says nothing, or something unknown, founds nothing. */
    static Founding of(String announced) {
        return switch (announced.toLowerCase(Locale.ROOT)) {
            case "true" -> TOGETHER;
            case "alone" -> ALONE;
            default -> NEVER;
        };
    }
}
