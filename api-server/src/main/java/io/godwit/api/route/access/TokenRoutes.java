package io.godwit.api.route.access;

import io.godwit.api.auth.Principal;
import io.godwit.api.auth.Role;
import io.godwit.api.auth.TokenFile;
import io.godwit.api.auth.TokenText;
import io.godwit.api.http.Problem;
import io.godwit.api.http.ProblemException;
import io.godwit.api.port.LimitReachedException;
import io.godwit.api.port.access.TokenAdmin;
import io.godwit.api.port.access.TokenAdmin.Token;
import io.godwit.api.route.Absence;
import io.godwit.api.route.Call;
import io.godwit.api.route.Cursors;
import io.godwit.api.route.MqttText;
import io.godwit.api.route.Refused;
import io.godwit.api.route.Reply;
import io.godwit.api.route.Routes;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.security.SecureRandom;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.security.auth.x500.X500Principal;
import org.jspecify.annotations.Nullable;

/** Tokens of the API: the shared ones of all nodes, and those of this node's file for display. */
public final class TokenRoutes {
    private static final String LIST = "tokens";
    private static final String OF_FILE = "file";
    private static final String OF_ALL = "api";

    private final TokenAdmin tokens;
    private final Supplier<List<TokenFile.Entry>> ofFile;
    private final SecureRandom random = new SecureRandom();

    private TokenRoutes(TokenAdmin tokens, Supplier<List<TokenFile.Entry>> ofFile) {
        this.tokens = tokens;
        this.ofFile = ofFile;
    }

    /** @param ofFile the present entries of the tokens file; empty without one */
    public static void add(Routes routes, TokenAdmin tokens, Supplier<List<TokenFile.Entry>> ofFile) {
        TokenRoutes here = new TokenRoutes(tokens, ofFile);
        routes.add("listTokens", here::list);
        routes.add("addToken", here::add);
        routes.add("removeToken", here::remove);
    }

    /** One entry of the list, ordered as there. */
    private record Listed(String name, String source, JsonObject json) implements Comparable<Listed> {
        private static final Comparator<Listed> ORDER =
                Comparator.comparing(Listed::name).thenComparing(Listed::source);

        @Override
        public int compareTo(Listed other) {
            return ORDER.compare(this, other);
        }
    }

    private CompletableFuture<Reply> list(Call call) {
        @Nullable
        Listed after = Cursors.position(call, LIST, 2)
                .map(position -> new Listed(position.get(0), position.get(1), new JsonObject()))
                .orElse(null);
        int limit = call.number("limit");
        List<Listed> rest = Stream.concat(
                        ofFile.get().stream().map(TokenRoutes::listed),
                        tokens.tokens().stream().map(TokenRoutes::listed))
                .filter(each -> after == null || each.compareTo(after) > 0)
                .sorted()
                .limit(limit + 1L)
                .toList();
        List<Listed> page = rest.subList(0, Math.min(limit, rest.size()));
        JsonArray items = new JsonArray();
        page.forEach(each -> items.add(each.json));
        JsonObject json = new JsonObject().put("items", items);
        if (rest.size() > limit) {
            Listed last = page.get(page.size() - 1);
            json.put("next", Cursors.of(LIST, last.name, last.source));
        }
        return CompletableFuture.completedFuture(Reply.json(json));
    }

    private static Listed listed(TokenFile.Entry entry) {
        boolean isToken = entry.proof() == TokenFile.Proof.SHA256;
        return new Listed(
                entry.name(),
                OF_FILE,
                item(entry.name(), entry.role().spelled(), entry.tenant(), isToken ? "" : entry.value(), OF_FILE)
                        .put("untilMillis", -1)
                        .put("by", "")
                        .put("sinceMillis", 0));
    }

    private static Listed listed(Token token) {
        return new Listed(token.name(), OF_ALL, json(token));
    }

    private static JsonObject json(Token token) {
        return item(token.name(), token.role(), token.tenant(), token.subject(), OF_ALL)
                .put("untilMillis", token.untilMillis())
                .put("by", token.by())
                .put("sinceMillis", token.sinceMillis());
    }

    private static JsonObject item(String name, String role, String tenant, String subject, String source) {
        return new JsonObject()
                .put("name", name)
                .put("role", role)
                .put("tenant", tenant)
                .put("kind", subject.isEmpty() ? "token" : "certificate")
                .put("subject", subject)
                .put("source", source);
    }

    private CompletableFuture<Reply> add(Call call) {
        JsonObject body = call.body();
        String name = body.getString("name");
        String subject = body.getString("subject", "");
        String secret = subject.isEmpty() ? TokenText.make(random) : "";
        Long seconds = body.getLong("seconds");
        long now = tokens.nowMillis();
        Token token = new Token(
                name,
                body.getString("role"),
                body.getString("tenant", ""),
                secret.isEmpty() ? "" : HexFormat.of().formatHex(TokenText.hash(secret)),
                subject,
                seconds == null ? -1 : now + TimeUnit.SECONDS.toMillis(seconds),
                call.caller().map(Principal::name).orElse(""),
                now);
        check(token, secret);
        CompletableFuture<Boolean> added =
                Refused.as(tokens.add(token, call.within()), LimitReachedException.class, BanRoutes::full);
        return added.thenApply(isNew -> {
            if (!isNew) {
                throw taken(name);
            }
            JsonObject json = new JsonObject().put("item", json(token));
            return Reply.json(201, secret.isEmpty() ? json : json.put("token", secret));
        });
    }

    /** Applies the same checks as for a line of the file. */
    private void check(Token token, String secret) {
        Role role = Role.parse(token.role()).orElseThrow();
        try {
            if (token.subject().isEmpty()) {
                TokenFile.Entry.ofToken(token.name(), role, token.tenant(), secret);
            } else {
                MqttText.string("subject", token.subject());
                new TokenFile.Entry(token.name(), role, token.tenant(), TokenFile.Proof.SUBJECT, token.subject());
                requireNewSubject(new X500Principal(token.subject()));
            }
        } catch (IllegalArgumentException e) {
            throw new ProblemException(
                    Problem.invalid(token.subject().isEmpty() ? "name" : "subject", String.valueOf(e.getMessage())));
        }
        if (ofFile.get().stream().anyMatch(entry -> entry.name().equals(token.name()))) {
            throw taken(token.name());
        }
    }

    /** A certificate with two entries would have two roles. */
    private void requireNewSubject(X500Principal subject) {
        boolean isTaken = Stream.concat(
                        ofFile.get().stream()
                                .filter(entry -> entry.proof() == TokenFile.Proof.SUBJECT)
                                .map(TokenFile.Entry::value),
                        tokens.tokens().stream().map(Token::subject).filter(each -> !each.isEmpty()))
                .anyMatch(each -> new X500Principal(each).equals(subject));
        if (isTaken) {
            throw new ProblemException(
                    new Problem(409, "taken", "It is there already", "there is an entry of that subject"));
        }
    }

    private static ProblemException taken(String name) {
        return new ProblemException(
                new Problem(409, "taken", "It is there already", "there is a token of the name " + name));
    }

    private CompletableFuture<Reply> remove(Call call) {
        String name = call.parameters().getString("name");
        return tokens.remove(name, call.within()).thenApply(removed -> {
            if (removed.value() && !removed.missingNodes().isEmpty()) {
                throw new ProblemException(Problem.nodesMissing(
                        "it is removed; nodes that did not confirm may still accept it", removed.missingNodes()));
            }
            if (!removed.value()) {
                Optional<TokenFile.Entry> entry = ofFile.get().stream()
                        .filter(each -> each.name().equals(name))
                        .findFirst();
                throw entry.isPresent()
                        ? new ProblemException(Problem.forbidden(
                                "that token is of the tokens file of this node, and is removed there"))
                        : Absence.of(removed, "there is no token of that name");
            }
            return Reply.done();
        });
    }
}
