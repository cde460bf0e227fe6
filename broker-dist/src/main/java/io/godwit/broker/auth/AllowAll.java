package io.godwit.broker.auth;

import io.godwit.plugin.auth.AuthCheck;
import io.godwit.plugin.auth.AuthDecision;
import io.godwit.plugin.auth.AuthProvider;
import io.godwit.plugin.auth.ConnectRequest;
import io.godwit.plugin.auth.ConnectResult;
import io.godwit.plugin.auth.PublishRequest;
import io.godwit.plugin.auth.SubscribeRequest;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** Allows everything to everybody. Declares no checks, so the broker never asks it. */
public final class AllowAll implements AuthProvider {
    @Override
    public Set<AuthCheck> checks() {
        return EnumSet.noneOf(AuthCheck.class);
    }

    @Override
    public CompletableFuture<ConnectResult> connect(ConnectRequest request) {
        return CompletableFuture.completedFuture(ConnectResult.Accepted.as(request.client()));
    }

    @Override
    public CompletableFuture<AuthDecision> publish(PublishRequest request) {
        return CompletableFuture.completedFuture(AuthDecision.ALLOWED);
    }

    @Override
    public CompletableFuture<AuthDecision> subscribe(SubscribeRequest request) {
        return CompletableFuture.completedFuture(AuthDecision.ALLOWED);
    }
}
