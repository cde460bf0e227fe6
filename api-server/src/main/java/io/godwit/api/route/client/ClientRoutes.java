package io.godwit.api.route.client;

import io.godwit.api.http.Json;
import io.godwit.api.http.Problem;
import io.godwit.api.http.ProblemException;
import io.godwit.api.port.ClusterAnswer;
import io.godwit.api.port.Page;
import io.godwit.api.port.access.BanAdmin;
import io.godwit.api.port.client.ClientAdmin;
import io.godwit.api.port.client.ClientFilter;
import io.godwit.api.port.client.ClientFilter.TextPattern;
import io.godwit.api.port.client.ClientReference;
import io.godwit.api.port.client.ClientView;
import io.godwit.api.route.Absence;
import io.godwit.api.route.Call;
import io.godwit.api.route.Cursors;
import io.godwit.api.route.Reply;
import io.godwit.api.route.Routes;
import io.godwit.api.route.access.BanRoutes;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Clients of all nodes. */
public final class ClientRoutes {
    private static final Logger LOG = LoggerFactory.getLogger(ClientRoutes.class);
    private static final String LIST = "clients";
    /** Stands for the client id in a path when the id is given as a parameter, because some ids cannot be in a path. */
    private static final String NO_PART = "-";
    /** Prefix of the client ids of the broker's own sessions; no client id of a client may have it [MQTT5-1.5.4-2]. */
    private static final String BROKERS_OWN = "\0";

    private final ClientAdmin clients;
    private final Optional<BanAdmin> bans;

    private ClientRoutes(ClientAdmin clients, Optional<BanAdmin> bans) {
        this.clients = clients;
        this.bans = bans;
    }

    /** @param bans empty when bans are not available */
    public static void add(Routes routes, ClientAdmin clients, Optional<BanAdmin> bans) {
        ClientRoutes here = new ClientRoutes(clients, bans);
        routes.add("listClients", here::list);
        routes.add("getClient", here::one);
        routes.add("disconnectClient", here::disconnect);
    }

    private CompletableFuture<Reply> list(Call call) {
        ClientFilter filter = filter(call);
        ClientReference after = Cursors.position(call, LIST, 2)
                .map(position -> new ClientReference(position.get(0), position.get(1)))
                .orElse(null);
        return clients.clients(filter, after, call.number("limit"), call.within())
                .thenApply(ClientRoutes::page);
    }

    private static Reply page(ClusterAnswer<Page<ClientView, ClientReference>> answer) {
        List<ClientView> items = answer.value().items();
        JsonObject json =
                new JsonObject().put("items", Json.array(items)).put("missingNodes", Json.array(answer.missingNodes()));
        ClientReference next = answer.value().next();
        if (next != null) {
            json.put("next", Cursors.of(LIST, next.tenant(), next.clientId()));
        }
        return Reply.json(json);
    }

    private static ClientFilter filter(Call call) {
        @Nullable Integer protocol = call.parameters().getInteger("protocol");
        @Nullable Long queued = call.parameters().getLong("minQueued");
        return new ClientFilter(
                call.tenantFilter(),
                idPattern(call),
                call.text("userName"),
                call.text("address"),
                protocol == null ? OptionalInt.empty() : OptionalInt.of(protocol),
                Optional.ofNullable(call.parameters().getBoolean("connected")),
                queued == null ? OptionalLong.empty() : OptionalLong.of(queued));
    }

    /** The pattern for client ids, in lists. */
    static Optional<TextPattern> idPattern(Call call) {
        Optional<String> prefix = call.text("clientIdPrefix");
        Optional<String> part = call.text("clientIdContains");
        if (prefix.isPresent() && part.isPresent()) {
            throw new ProblemException(Problem.invalid("clientIdContains", "cannot be given with clientIdPrefix"));
        }
        return prefix.map(text -> new TextPattern(TextPattern.Kind.PREFIX, text))
                .or(() -> part.map(text -> new TextPattern(TextPattern.Kind.SUBSTRING, text)));
    }

    /** The key of the client that the request names. */
    static ClientReference key(Call call) {
        String inPath = call.parameters().getString("clientId");
        Optional<String> id = call.text("id");
        if (id.isPresent() && !inPath.equals(NO_PART)) {
            throw new ProblemException(Problem.invalid(
                    "id", "is only for client ids that a path cannot carry; the path must have " + NO_PART + " then"));
        }
        String clientId = id.orElse(inPath);
        if (clientId.startsWith(BROKERS_OWN) && call.isTenantBound()) {
            throw new ProblemException(
                    Problem.forbidden("a token that is bound to a tenant may not use sessions of the broker itself"));
        }
        return new ClientReference(call.tenant(), clientId);
    }

    private CompletableFuture<Reply> one(Call call) {
        ClientReference key = key(call);
        return clients.client(key, call.within())
                .thenApply(answer -> answer.value()
                        .map(client -> Reply.json(new JsonObject()
                                .put("item", Json.object(client))
                                .put("missingNodes", Json.array(answer.missingNodes()))))
                        .orElseThrow(() -> Absence.of(answer, "there is no client of that id")));
    }

    private CompletableFuture<Reply> disconnect(Call call) {
        @Nullable Long banSeconds = call.parameters().getLong("banSeconds");
        if (banSeconds != null) {
            return disconnectAndBan(call, banSeconds);
        }
        if (call.text("reason").isPresent()) {
            throw new ProblemException(Problem.invalid("reason", "is the reason of a ban, so it needs banSeconds"));
        }
        return clients.disconnect(key(call), call.number("reasonCode"), call.within())
                .thenApply(answer -> {
                    if (!answer.value()) {
                        throw Absence.of(answer, "no client of that id is connected");
                    }
                    return Reply.done();
                });
    }

    /** Bans first: the ban holds on all nodes before the disconnect, so the client cannot reconnect at another node. */
    private CompletableFuture<Reply> disconnectAndBan(Call call, long seconds) {
        BanAdmin admin = bans.orElseThrow(
                () -> new ProblemException(Problem.invalid("banSeconds", "this broker cannot ban clients")));
        ClientReference key = key(call);
        Duration half = call.within().dividedBy(2); // the two steps run one after the other
        return BanRoutes.make(
                        admin,
                        call.within(half),
                        BanAdmin.Kind.CLIENT,
                        "clientId",
                        key.clientId(),
                        seconds,
                        call.text("reason").orElse(""))
                .thenCompose(made -> disconnect(key, call.number("reasonCode"), half)
                        .thenApply(answer -> Reply.json(BanRoutes.item(made)
                                .put("missingNodes", Json.array(answer.missingNodes()))
                                .put(
                                        "mayBeConnected",
                                        !answer.value()
                                                || !answer.missingNodes().isEmpty()))));
    }

    /**
     * Disconnects after the ban. The ban is made and the answer shows it, whether or not the disconnect succeeds. The
     * value says whether all nodes that answered have done it; a failure is logged.
     */
    private CompletableFuture<ClusterAnswer<Boolean>> disconnect(ClientReference key, int reasonCode, Duration within) {
        CompletableFuture<ClusterAnswer<Boolean>> asked;
        try {
            asked = clients.disconnect(key, reasonCode, within);
        } catch (RuntimeException e) { // handled below like a failed future
            asked = CompletableFuture.failedFuture(e);
        }
        return asked.handle((answer, failure) -> {
            if (answer == null) {
                LOG.warn(
                        "a client was banned, but its connection could not be ended cause={}", String.valueOf(failure));
                return new ClusterAnswer<>(false, List.of());
            }
            return new ClusterAnswer<>(true, answer.missingNodes());
        });
    }
}
