package io.godwit.perf.cluster;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * When a restarted broker found back into its cluster, by the times in its log, which are exact to the millisecond.
 * Immutable.
 *
 * @param linked when it had a link to the other broker: its first contact
 * @param known when it had received all filters of live sessions on the other one
 * @param serving when its listeners were open
 */
public record Rejoin(Instant linked, Instant known, Instant serving) {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss,SSS");
    private static final int TIME_CHARACTERS = 23;
    private static final Pattern SELF = Pattern.compile("node serves self=NodeLife\\[nodeId=([^,\\]]+)");

    /** The id that other nodes use for the node that writes {@code log}; empty before it has served. */
    static Optional<String> nodeId(List<String> log) {
        return log.stream()
                .map(SELF::matcher)
                .filter(Matcher::find)
                .map(found -> found.group(1))
                .findFirst();
    }

    /**
     * The times; empty until all three are in the log.
     *
     * @param log of the restarted broker, including lines of earlier processes
     * @param pid of the process whose lines count
     * @param other id of the other broker
     */
    static Optional<Rejoin> of(List<String> log, long pid, String other) {
        List<String> own = log.stream()
                .dropWhile(line -> !(line.contains(" - Godwit ") && line.contains(" pid=" + pid + " ")))
                .toList();
        Optional<Instant> linked = first(own, line -> line.contains(" - linked peer=" + other + "/"));
        Optional<Instant> known =
                first(own, line -> line.contains(" - live filters of a peer are known node=" + other + " "));
        Optional<Instant> serving = first(own, line -> line.contains(" - ready listeners="));
        return linked.isPresent() && known.isPresent() && serving.isPresent()
                ? Optional.of(new Rejoin(linked.get(), known.get(), serving.get()))
                : Optional.empty();
    }

    private static Optional<Instant> first(List<String> log, Predicate<String> what) {
        return log.stream().filter(what).findFirst().flatMap(Rejoin::time);
    }

    private static Optional<Instant> time(String line) {
        try {
            return Optional.of(LocalDateTime.parse(line.substring(0, TIME_CHARACTERS), TIME)
                    .atZone(ZoneId.systemDefault())
                    .toInstant());
        } catch (DateTimeParseException e) {
            return Optional.empty(); // from a release that this tool does not know
        }
    }
}
