package io.godwit.plugin.topic;

import java.util.ArrayList;
import java.util.List;

/** Topic filters that differ and have one hash code, as a hostile client makes them: "Aa" and "BB" hash alike. */
public final class CollidingFilters {
    private CollidingFilters() {}

    /** This many texts, all valid as topics too, since none has a wildcard. */
    public static List<String> texts(int count) {
        int blocks = 32 - Integer.numberOfLeadingZeros(Math.max(1, count - 1));
        List<String> texts = new ArrayList<>(count);
        for (int number = 0; number < count; number++) {
            StringBuilder text = new StringBuilder(2 * blocks);
            for (int block = 0; block < blocks; block++) {
                text.append((number >> block & 1) == 0 ? "Aa" : "BB");
            }
            texts.add(text.toString());
        }
        return texts;
    }

    /** The same, parsed. */
    public static List<TopicFilter> of(int count) {
        return texts(count).stream().map(text -> new TopicFilter(null, text)).toList();
    }
}
