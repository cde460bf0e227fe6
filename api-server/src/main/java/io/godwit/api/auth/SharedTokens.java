package io.godwit.api.auth;

import io.godwit.api.port.access.TokenAdmin;
import io.godwit.api.port.access.TokenAdmin.Token;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import javax.security.auth.x500.X500Principal;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Looks up callers among the tokens that all nodes share. Any thread. */
final class SharedTokens {
    private static final Logger LOG = LoggerFactory.getLogger(SharedTokens.class);

    private final TokenAdmin admin;
    private volatile Known known = new Known(List.of(), Map.of(), Map.of());

    /** @param of the list that the maps are made from */
    private record Known(List<Token> of, Map<String, Token> byHash, Map<X500Principal, Token> bySubject) {}

    SharedTokens(TokenAdmin admin) {
        this.admin = admin;
    }

    /** Makes the maps again when the list has changed; two threads may do so at once. */
    @SuppressWarnings("ReferenceEquality") // the port returns the same list object until something changes
    private Known known() {
        List<Token> now = admin.tokens();
        Known before = known;
        if (before.of == now) {
            return before;
        }
        Known made = make(now);
        known = made;
        return made;
    }

    private static Known make(List<Token> tokens) {
        Map<String, Token> byHash = new HashMap<>();
        Map<X500Principal, Token> bySubject = new HashMap<>();
        for (Token token : tokens) {
            try {
                if (token.subject().isEmpty()) {
                    byHash.merge(token.sha256(), token, SharedTokens::lesser);
                } else {
                    bySubject.merge(new X500Principal(token.subject()), token, SharedTokens::lesser);
                }
            } catch (IllegalArgumentException e) {
                LOG.error("a stored token has no effect name={} cause={}", token.name(), e.getMessage());
            }
        }
        return new Known(tokens, byHash, bySubject);
    }

    /**
     * Two nodes may have accepted the same subject at the same time: then the lesser role counts, or the one limited to
     * a tenant.
     */
    private static Token lesser(Token one, Token other) {
        Role first = Role.parse(one.role()).orElse(Role.VIEWER);
        Role second = Role.parse(other.role()).orElse(Role.VIEWER);
        if (first != second) {
            return first.compareTo(second) < 0 ? one : other;
        }
        return other.tenant().isEmpty() ? one : other;
    }

    Set<String> names() {
        return known().of.stream().map(Token::name).collect(Collectors.toSet());
    }

    @Nullable
    Principal ofToken(String token) {
        return principal(known().byHash.get(HexFormat.of().formatHex(TokenText.hash(token))), Principal.Kind.TOKEN);
    }

    @Nullable
    Principal ofSubject(X500Principal subject) {
        return principal(known().bySubject.get(subject), Principal.Kind.CERTIFICATE);
    }

    private @Nullable Principal principal(@Nullable Token token, Principal.Kind kind) {
        if (token == null || token.isOver(admin.nowMillis())) {
            return null;
        }
        return Role.parse(token.role())
                .map(role -> new Principal(
                        token.name(),
                        role,
                        token.tenant().isEmpty() ? Optional.empty() : Optional.of(token.tenant()),
                        kind,
                        TokenText.source(
                                "api", token.subject().isEmpty() ? token.sha256() : TokenText.hex(token.subject()))))
                .orElse(null);
    }
}
