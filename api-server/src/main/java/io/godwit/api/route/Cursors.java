package io.godwit.api.route;

import io.godwit.api.http.Problem;
import io.godwit.api.http.ProblemException;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
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

    /** @param list which list it is of */
    static String of(String list, String... position) {
        JsonArray array = new JsonArray().add(list);
        List.of(position).forEach(array::add);
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(array.encode().getBytes(StandardCharsets.UTF_8));
    }

    /** The position of the call's cursor; empty when it has none. */
    static Optional<List<String>> position(Call call, String list, int parts) {
        return call.text("cursor").map(text -> parse(text, list, parts));
    }

    private static List<String> parse(String text, String list, int parts) {
        try {
            JsonArray array = new JsonArray(new String(Base64.getUrlDecoder().decode(text), StandardCharsets.UTF_8));
            boolean areTexts = array.stream().allMatch(String.class::isInstance);
            if (areTexts && array.size() == parts + 1 && list.equals(array.getString(0))) {
                return array.stream().skip(1).map(String.class::cast).toList();
            }
        } catch (IllegalArgumentException | DecodeException e) { // told below
        }
        throw new ProblemException(Problem.invalid("cursor", "is not what this list gave as next"));
    }
}
