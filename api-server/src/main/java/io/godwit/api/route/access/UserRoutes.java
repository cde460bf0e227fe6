package io.godwit.api.route.access;

import io.godwit.api.auth.Principal;
import io.godwit.api.http.Problem;
import io.godwit.api.http.ProblemException;
import io.godwit.api.port.LimitReachedException;
import io.godwit.api.port.access.UserAdmin;
import io.godwit.api.port.access.UserAdmin.Hash;
import io.godwit.api.port.access.UserAdmin.User;
import io.godwit.api.route.Call;
import io.godwit.api.route.Cursors;
import io.godwit.api.route.EntityTags;
import io.godwit.api.route.MqttText;
import io.godwit.api.route.Refused;
import io.godwit.api.route.Reply;
import io.godwit.api.route.Routes;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;

/** Users and rules of the auth provider {@code file}. */
public final class UserRoutes {
    private static final String LIST = "users";
    private static final String OF_FILE = "file";
    private static final String OF_ALL = "api";
    private static final int MAX_NAME_BYTES = 256;

    private final UserAdmin users;

    private UserRoutes(UserAdmin users) {
        this.users = users;
    }

    public static void add(Routes routes, UserAdmin users) {
        UserRoutes here = new UserRoutes(users);
        routes.add("listUsers", here::list);
        routes.add("setUser", here::set);
        routes.add("removeUser", here::remove);
        routes.add("getRules", call -> here.rules());
        routes.add("setRules", here::setRules);
    }

    private CompletableFuture<Reply> list(Call call) {
        User after = Cursors.position(call, LIST, 2)
                .map(position -> new User(position.get(0), position.get(1).equals(OF_FILE), "", "", 0))
                .orElse(null);
        return users.users(after, call.number("limit")).thenApply(page -> {
            JsonArray items = new JsonArray();
            page.items().forEach(user -> items.add(json(user)));
            JsonObject json = new JsonObject().put("items", items);
            User next = page.next();
            if (next != null) {
                json.put("next", Cursors.of(LIST, next.name(), source(next)));
            }
            return Reply.json(json);
        });
    }

    private static String source(User user) {
        return user.isOfFile() ? OF_FILE : OF_ALL;
    }

    private static JsonObject json(User user) {
        return new JsonObject()
                .put("name", user.name())
                .put("source", source(user))
                .put("hash", user.hash())
                .put("by", user.by())
                .put("sinceMillis", user.sinceMillis());
    }

    private CompletableFuture<Reply> set(Call call) {
        String name = name(call);
        byte[] password = MqttText.utf8("password", call.body().getString("password"));
        Hash hash = Hash.valueOf(call.body().getString("hash", "bcrypt").toUpperCase(Locale.ROOT));
        CompletableFuture<Boolean> put = Refused.as(
                users.put(name, password, hash, by(call), call.within()),
                wrong -> MqttText.wrong("password", String.valueOf(wrong.getMessage())));
        return Refused.as(put, LimitReachedException.class, BanRoutes::full)
                .thenApply(isNew -> Reply.json(isNew ? 201 : 200, new JsonObject().put("new", isNew)));
    }

    private static String name(Call call) {
        String name = MqttText.string("name", call.parameters().getString("name"));
        if (MqttText.utf8("name", name).length > MAX_NAME_BYTES
                || name.indexOf(':') >= 0
                || name.startsWith("#")
                || !name.equals(name.strip())
                || name.chars().anyMatch(Character::isISOControl)) {
            throw MqttText.wrong(
                    "name",
                    "must have at most " + MAX_NAME_BYTES
                            + " bytes, no colon or control character, no # at its begin and no space at either end");
        }
        return name;
    }

    private static String by(Call call) {
        return call.caller().map(Principal::name).orElse("");
    }

    private CompletableFuture<Reply> remove(Call call) {
        return users.remove(name(call), call.within()).thenApply(existed -> {
            if (!existed) {
                throw new ProblemException(Problem.notFound("there is no user of that name"));
            }
            return Reply.done();
        });
    }

    private CompletableFuture<Reply> rules() {
        return users.rules()
                .thenApply(rules -> Reply.json(new JsonObject()
                                .put("file", new JsonArray(rules.ofFile()))
                                .put("api", new JsonArray(rules.shared()))
                                .put("by", rules.by())
                                .put("sinceMillis", rules.sinceMillis())
                                .put("version", rules.version()))
                        .tagged(rules.version()));
    }

    private CompletableFuture<Reply> setRules(Call call) {
        List<String> lines =
                call.body().getJsonArray("api").stream().map(String.class::cast).toList();
        lines.forEach(line -> {
            if (MqttText.utf8("api", line).length == 0 || line.chars().anyMatch(Character::isISOControl)) {
                throw MqttText.wrong("api", "a rule is empty, or has a control character");
            }
        });
        return Refused.as(
                        users.setRules(lines, EntityTags.admitted(call.ifMatch()), by(call), call.within()),
                        wrong -> MqttText.wrong("api", String.valueOf(wrong.getMessage())))
                .thenApply(done -> Reply.done());
    }
}
