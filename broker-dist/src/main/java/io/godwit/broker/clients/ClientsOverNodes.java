package io.godwit.broker.clients;

import io.godwit.api.port.ClusterAnswer;
import io.godwit.api.port.Page;
import io.godwit.api.port.client.ClientAdmin;
import io.godwit.api.port.client.ClientFilter;
import io.godwit.api.port.client.ClientReference;
import io.godwit.api.port.client.ClientView;
import io.godwit.broker.api.LogText;
import io.godwit.broker.clients.AllNodes.Answers;
import io.godwit.mqtt.client.ClientCriteria;
import io.godwit.mqtt.client.ClientKey;
import io.godwit.mqtt.client.ClientPage;
import io.godwit.mqtt.client.ConnectedClient;
import io.godwit.mqtt.packet.Disconnect;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.plugin.client.TenantId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The clients of all nodes, for the API. Fails with {@link io.godwit.api.port.NotServingException} also if there are
 * too many questions at a time, and with {@link IllegalArgumentException} if an argument is out of bounds. A key or
 * filter with an impossible tenant matches no client.
 */
final class ClientsOverNodes implements ClientAdmin {
    private static final Logger LOG = LoggerFactory.getLogger(ClientsOverNodes.class);
    private static final Page<ClientView, ClientReference> EMPTY = new Page<>(List.of(), null);

    /** Bound of the texts in a page, which clients choose. */
    private static final long MOST_CHARS = 1 << 20;

    private final AllNodes nodes;

    ClientsOverNodes(AllNodes nodes) {
        this.nodes = nodes;
    }

    /** A client with its node. */
    private record Placed(String node, ConnectedClient client) implements ClientPage.Entry {
        @Override
        public ClientKey key() {
            return client.key();
        }

        @Override
        public long connectedAtMillis() {
            return client.connectedAtMillis();
        }
    }

    @Override
    public CompletableFuture<ClusterAnswer<Page<ClientView, ClientReference>>> clients(
            ClientFilter filter, @Nullable ClientReference after, int limit, Duration within) {
        if (limit < 1 || limit > MAX_LIMIT) {
            return CompletableFuture.failedFuture(
                    new IllegalArgumentException("a page has 1 to " + MAX_LIMIT + " clients, was " + limit));
        }
        ClientCriteria criteria = ClientWords.criteria(filter).orElse(null);
        Optional<ClientKey> from = after == null ? Optional.empty() : ClientWords.place(after);
        if (criteria == null || after != null && from.isEmpty()) {
            return CompletableFuture.completedFuture(ClusterAnswer.complete(EMPTY));
        }
        TenantId tenant = criteria.tenant();
        if (tenant == null) {
            return page(criteria, from.orElse(null), limit, within);
        }
        ClientKey begin = ClientWords.beginOf(tenant);
        ClientKey place = from.filter(key -> key.compareTo(begin) > 0).orElse(begin);
        return place.tenant().equals(tenant)
                ? page(criteria, place, limit, within)
                : CompletableFuture.completedFuture(ClusterAnswer.complete(EMPTY));
    }

    private CompletableFuture<ClusterAnswer<Page<ClientView, ClientReference>>> page(
            ClientCriteria criteria, @Nullable ClientKey after, int limit, Duration within) {
        return nodes.ask(within, node -> node.page(criteria, after, limit, within))
                .thenApply(answers -> merged(answers, criteria.tenant(), limit));
    }

    private static ClusterAnswer<Page<ClientView, ClientReference>> merged(
            Answers<ClientPage<ConnectedClient>> answers, @Nullable TenantId tenant, int limit) {
        List<ClientPage<Placed>> pages = new ArrayList<>();
        answers.answers().forEach((node, page) -> pages.add(placed(node, page)));
        ClientPage<Placed> merged = ClientPage.merged(pages, limit);
        ClientKey next = merged.next();
        if (next != null && tenant != null && !next.tenant().equals(tenant)) {
            next = null; // the tenant is complete; the caller must not learn of other tenants
        }
        List<ClientView> views = new ArrayList<>();
        long chars = 0;
        for (Placed placed : merged.entries()) {
            views.add(ClientWords.view(placed.node, placed.client));
            chars += ClientWords.chars(placed.client);
            if (chars > MOST_CHARS && views.size() < merged.entries().size()) {
                next = placed.key();
                break;
            }
        }
        return new ClusterAnswer<>(new Page<>(views, next == null ? null : ClientWords.key(next)), missing(answers));
    }

    private static ClientPage<Placed> placed(String node, ClientPage<ConnectedClient> page) {
        return new ClientPage<>(
                page.entries().stream().map(client -> new Placed(node, client)).toList(), page.next());
    }

    @Override
    public CompletableFuture<ClusterAnswer<Optional<ClientView>>> client(ClientReference key, Duration within) {
        return ClientWords.key(key)
                .map(wanted -> nodes.askAboutOne(within, node -> node.find(wanted, within))
                        .thenApply(answers -> new ClusterAnswer<>(newest(answers.answers()), missing(answers))))
                .orElseGet(() -> CompletableFuture.completedFuture(ClusterAnswer.complete(Optional.empty())));
    }

    /** During a takeover both connections may be found; the newer one counts. */
    private static Optional<ClientView> newest(Map<String, Optional<ConnectedClient>> found) {
        return found.entrySet().stream()
                .flatMap(entry -> entry.getValue().map(client -> new Placed(entry.getKey(), client)).stream())
                .max(Comparator.comparingLong(Placed::connectedAtMillis))
                .map(placed -> ClientWords.view(placed.node, placed.client));
    }

    @Override
    public CompletableFuture<ClusterAnswer<Boolean>> disconnect(ClientReference key, int reasonCode, Duration within) {
        ReasonCode code = ReasonCode.of(reasonCode);
        if (code == null || !code.isError() || !Disconnect.isFromServer(code)) {
            return CompletableFuture.failedFuture(new IllegalArgumentException(
                    "a server cannot end a connection with the reason code " + reasonCode));
        }
        return ClientWords.key(key)
                .map(wanted -> disconnect(wanted, code, within))
                .orElseGet(() -> CompletableFuture.completedFuture(ClusterAnswer.complete(false)));
    }

    private CompletableFuture<ClusterAnswer<Boolean>> disconnect(ClientKey key, ReasonCode code, Duration within) {
        return nodes.askAboutOne(within, node -> node.disconnect(key, code, within))
                .thenApply(answers -> {
                    boolean wasConnected = answers.answers().containsValue(true);
                    LOG.info(
                            "operator disconnects a client client={} code={} wasConnected={}",
                            LogText.of(key),
                            code,
                            wasConnected);
                    return new ClusterAnswer<>(wasConnected, missing(answers));
                });
    }

    private static List<String> missing(Answers<?> answers) {
        return List.copyOf(answers.missing().keySet());
    }
}
