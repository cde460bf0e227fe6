package io.godwit.api.route;

import io.godwit.api.http.Problem;
import io.godwit.api.http.ProblemException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/**
 * Where the next page begins, as clients hand it back. It has no secret in it and gives no right, so it is not signed;
 * what is not one of the list is refused.
 */
final class Cursors {
    private Cursors() {}

    /** No client id, topic or name of the broker's own has it [MQTT5-1.5.4-2]. */
    private static final String BETWEEN = "\0";

    /** @param list which list it is of */
    static String of(String list, String... position) {
        String text = list + BETWEEN + String.join(BETWEEN, position);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    /** The position of the call's cursor; empty when it has none. */
    static Optional<List<String>> position(Call call, String list, int parts) {
        return call.text("cursor").map(text -> parse(text, list, parts));
    }

    private static List<String> parse(String text, String list, int parts) {
        List<String> found = List.of();
        try {
            found = List.of(new String(Base64.getUrlDecoder().decode(text), StandardCharsets.UTF_8).split(BETWEEN, -1));
        } catch (IllegalArgumentException e) { // told below
        }
        if (found.size() != parts + 1 || !found.get(0).equals(list)) {
            throw wrong();
        }
        return found.subList(1, found.size());
    }

    /** The cursor is none of the list. */
    static ProblemException wrong() {
        return new ProblemException(Problem.invalid("cursor", "is not what this list gave as next"));
    }
}
