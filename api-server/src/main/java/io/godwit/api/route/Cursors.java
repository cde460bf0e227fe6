package io.godwit.api.route;

import io.godwit.api.http.Problem;
import io.godwit.api.http.ProblemException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/**
 * Cursors: the position of the next page, as clients send it back. A cursor is not signed, because it holds no secret
 * and grants no right; a cursor of another list is refused.
 */
public final class Cursors {
    private Cursors() {}

    /** A separator that no client id, topic or broker name contains [MQTT5-1.5.4-2]. */
    private static final String BETWEEN = "\0";

    /** @param list name of the list */
    public static String of(String list, String... position) {
        String text = list + BETWEEN + String.join(BETWEEN, position);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    /** The position in the call's cursor; empty when it has no cursor. */
    public static Optional<List<String>> position(Call call, String list, int parts) {
        return call.text("cursor").map(text -> parse(text, list, parts));
    }

    private static List<String> parse(String text, String list, int parts) {
        List<String> found = List.of();
        try {
            found = List.of(new String(Base64.getUrlDecoder().decode(text), StandardCharsets.UTF_8).split(BETWEEN, -1));
        } catch (IllegalArgumentException e) { // refused below
        }
        if (found.size() != parts + 1 || !found.get(0).equals(list)) {
            throw wrong();
        }
        return found.subList(1, found.size());
    }

    /** The cursor does not belong to the list. */
    public static ProblemException wrong() {
        return new ProblemException(Problem.invalid("cursor", "is not a value of next from this list"));
    }
}
