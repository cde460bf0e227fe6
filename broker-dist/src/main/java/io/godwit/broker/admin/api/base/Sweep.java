package io.godwit.broker.admin.api.base;

import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.godwit.broker.admin.http.ApiClient;
import io.godwit.broker.admin.http.ApiPath;
import io.godwit.broker.admin.terminal.AdminException;
import io.godwit.broker.admin.terminal.AdminException.Kind;
import org.jspecify.annotations.Nullable;

/**
 * Deletes one message, or page by page all messages that match a filter.
 *
 * @param path the path of the list
 * @param name the parameter for one message, as in the command's help
 * @param deleted the participle for the output, such as "cleared"
 * @param messages the plural for the output
 */
public record Sweep(String path, String name, String deleted, String messages) {
    private static final int PAGE = 1_000;

    /** @throws AdminException of kind usage unless exactly one of {@code one} and {@code filter} is given */
    public void delete(
            ApiClient client, Output output, @Nullable String one, @Nullable String filter, @Nullable String tenant)
            throws AdminException {
        if ((one == null) == (filter == null)) {
            throw new AdminException(Kind.USAGE, "say " + name + " or --filter FILTER");
        }
        if (one != null) {
            output.done(
                    deleted + " " + one,
                    client.delete(ApiPath.of(path).part(one).with("tenant", tenant)));
            return;
        }
        JsonObject answer = all(client, ApiPath.of(path).with("filter", filter).with("tenant", tenant));
        output.done(deleted + " " + answer.get("messages") + " " + messages, answer);
    }

    /** Deletes all, and returns their number as {@code messages}. */
    private static JsonObject all(ApiClient client, ApiPath path) throws AdminException {
        long deleted = 0;
        String cursor = null;
        do {
            JsonObject page = client.delete(path.copy().with("limit", PAGE).with("cursor", cursor));
            deleted += page.get("messages") instanceof JsonPrimitive messages ? messages.getAsLong() : 0;
            cursor = page.get("next") instanceof JsonPrimitive next ? next.getAsString() : null;
        } while (cursor != null);
        JsonObject answer = new JsonObject();
        answer.addProperty("messages", deleted);
        return answer;
    }
}
