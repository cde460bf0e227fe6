package io.godwit.broker.auth.filter;

import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.topic.TopicFilter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The topic filter of a rule, by levels. {@code %c} stands for the client id, {@code %u} for the user name, {@code %%}
 * for '%'. A client's own value is only ever compared as text. If it is missing, empty or contains '/', '+' or '#', the
 * filter covers nothing and overlaps everything from that level on, so that no client can widen its rights, or narrow a
 * deny, by its name.
 */
public final class AclFilter {
    private static final String SINGLE = "+";
    private static final String MULTI = "#";

    private final String text;
    /** The levels, with placeholders. */
    private final String[] levels;
    /** Whether the level of that index has a placeholder; null if none has. */
    private final boolean @Nullable [] isTemplate;

    private AclFilter(String text, String[] levels, boolean @Nullable [] isTemplate) {
        this.text = text;
        this.levels = levels;
        this.isTemplate = isTemplate;
    }

    /** @throws IllegalArgumentException if the text is no topic filter or has another placeholder */
    public static AclFilter parse(String text) {
        TopicFilter filter = TopicFilter.parse(text)
                .orElseThrow(() -> new IllegalArgumentException("not a valid topic filter: " + text));
        if (!filter.filter().equals(text)) {
            throw new IllegalArgumentException(
                    "a rule has the plain filter, which holds for shared and exclusive subscriptions too: "
                            + filter.filter());
        }
        // every topic has a first level, so both mean the same, and only one of them is handled below
        String[] levels = levelsOf(text.equals("+/#") ? MULTI : text);
        boolean[] isTemplate = new boolean[levels.length];
        boolean hasTemplate = false;
        for (int i = 0; i < levels.length; i++) {
            String level = levels[i];
            for (int at = level.indexOf('%'); at >= 0; at = level.indexOf('%', at + 2)) {
                char what = at + 1 < level.length() ? level.charAt(at + 1) : 0;
                if (what != 'c' && what != 'u' && what != '%') {
                    throw new IllegalArgumentException("after '%' there must be c, u or another '%': " + text);
                }
                isTemplate[i] = true;
                hasTemplate = true;
            }
        }
        return new AclFilter(text, levels, hasTemplate ? isTemplate : null);
    }

    /** The levels of a topic or filter. */
    public static String[] levelsOf(String topic) {
        List<String> levels = new ArrayList<>();
        int from = 0;
        for (int slash = topic.indexOf('/'); slash >= 0; slash = topic.indexOf('/', from)) {
            levels.add(topic.substring(from, slash));
            from = slash + 1;
        }
        levels.add(topic.substring(from));
        return levels.toArray(new String[0]);
    }

    /** Whether this filter matches every topic that {@code asked} (a topic or a filter) matches, for this client. */
    public boolean covers(String[] asked, ClientInfo client) {
        if (isSingleOrMulti(levels[0]) && asked[0].startsWith("$")) { // [MQTT5-4.7.2-1]
            return false;
        }
        for (int i = 0; i < levels.length; i++) {
            String mine = level(i, client);
            if (mine == null) {
                return false;
            }
            if (mine.equals(MULTI)) {
                return true;
            }
            if (i == asked.length || asked[i].equals(MULTI)) {
                return false;
            }
            if (!mine.equals(SINGLE) && !mine.equals(asked[i])) {
                return false;
            }
        }
        return asked.length == levels.length;
    }

    /**
     * Whether this filter and {@code asked} (a topic or a filter) match a common topic, for this client; also true if
     * the client's name leaves it open.
     */
    public boolean overlaps(String[] asked, ClientInfo client) {
        if (isSingleOrMulti(levels[0]) && asked[0].startsWith("$")
                || isSingleOrMulti(asked[0]) && levels[0].startsWith("$")) { // [MQTT5-4.7.2-1]
            return false;
        }
        for (int i = 0; ; i++) {
            boolean mineEnded = i == levels.length;
            boolean askedEnded = i == asked.length;
            String mine = mineEnded ? "" : level(i, client);
            if (mine == null) {
                return !askedEnded; // the unknown value takes at least one level
            }
            if (!mineEnded && mine.equals(MULTI) || !askedEnded && asked[i].equals(MULTI)) {
                return true;
            }
            if (mineEnded || askedEnded) {
                return mineEnded && askedEnded;
            }
            if (!mine.equals(SINGLE) && !asked[i].equals(SINGLE) && !mine.equals(asked[i])) {
                return false;
            }
        }
    }

    /** A level with its placeholders filled in; null if a value cannot be part of a topic level. */
    private @Nullable String level(int index, ClientInfo client) {
        String level = levels[index];
        if (isTemplate == null || !isTemplate[index]) {
            return level;
        }
        StringBuilder filled = new StringBuilder();
        int position = 0;
        for (int percent = level.indexOf('%'); percent >= 0; percent = level.indexOf('%', position)) {
            filled.append(level, position, percent);
            char what = level.charAt(percent + 1);
            String value = what == 'c' ? client.clientId().value() : what == 'u' ? client.userName() : "%";
            if (value == null || value.isEmpty() || value.chars().anyMatch(v -> v == '/' || v == '+' || v == '#')) {
                return null;
            }
            filled.append(value);
            position = percent + 2;
        }
        filled.append(level, position, level.length());
        // a client named "$SYS" must not reach that topic by a rule with %c
        boolean isReserved = index == 0 && filled.charAt(0) == '$' && level.charAt(0) != '$';
        return isReserved ? null : filled.toString();
    }

    private static boolean isSingleOrMulti(String level) {
        return level.equals(SINGLE) || level.equals(MULTI);
    }

    @Override
    public String toString() {
        return text;
    }
}
