package io.godwit.inbox.queue;

import io.godwit.inbox.client.AttachReply;
import io.godwit.inbox.client.AttachRequest;
import io.godwit.inbox.client.ContinueRequest;
import io.godwit.inbox.client.InboxAttachment;
import io.godwit.inbox.client.InboxListener;
import io.godwit.inbox.client.SessionOwner;
import io.godwit.inbox.client.Will;
import io.godwit.kv.client.LeaderRequest;
import io.godwit.kv.client.RangeException;
import io.godwit.plugin.client.ClientInfo;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A request about the session of one inbox. */
abstract class SessionCall implements LeaderRequest {
    private final InboxId id;
    private final byte[] prefix;

    SessionCall(InboxId id, byte[] prefix) {
        this.id = id;
        this.prefix = prefix;
    }

    InboxId id() {
        return id;
    }

    byte[] prefix() {
        return prefix;
    }

    abstract void run(Lifecycle lifecycle, InboxState state);

    /** See {@link io.godwit.inbox.client.InboxClient#attach}. */
    static final class Attach extends SessionCall {
        final AttachRequest request;
        final InboxListener listener;
        final CompletableFuture<AttachReply> answer = new CompletableFuture<>();

        Attach(InboxId id, byte[] prefix, AttachRequest request, InboxListener listener) {
            super(id, prefix);
            this.request = request;
            this.listener = listener;
        }

        @Override
        void run(Lifecycle lifecycle, InboxState state) {
            lifecycle.attach(state, this);
        }

        @Override
        public void fail(RangeException cause) {
            answer.completeExceptionally(cause);
        }
    }

    /** See {@link io.godwit.inbox.client.InboxClient#continueAttachment}. */
    static final class Continue extends SessionCall {
        final ContinueRequest request;
        final InboxListener listener;
        final CompletableFuture<Optional<InboxAttachment>> answer = new CompletableFuture<>();

        Continue(InboxId id, byte[] prefix, ContinueRequest request, InboxListener listener) {
            super(id, prefix);
            this.request = request;
            this.listener = listener;
        }

        @Override
        void run(Lifecycle lifecycle, InboxState state) {
            lifecycle.continueAttachment(state, this);
        }

        @Override
        public void fail(RangeException cause) {
            answer.completeExceptionally(cause);
        }
    }

    /** See {@link io.godwit.inbox.client.InboxClient#owner}. */
    static final class Owner extends SessionCall {
        final ClientInfo client;
        final CompletableFuture<SessionOwner> answer = new CompletableFuture<>();

        Owner(InboxId id, byte[] prefix, ClientInfo client) {
            super(id, prefix);
            this.client = client;
        }

        @Override
        void run(Lifecycle lifecycle, InboxState state) {
            answer.complete(lifecycle.owner(state, client));
        }

        @Override
        public void fail(RangeException cause) {
            answer.completeExceptionally(cause);
        }
    }

    /** See {@link io.godwit.inbox.client.InboxClient#keepWill}. */
    static final class KeepWill extends SessionCall {
        final ClientInfo client;
        final long expirySeconds;
        final Will will;
        final boolean isRecorded;
        final CompletableFuture<@Nullable Void> answer = new CompletableFuture<>();

        KeepWill(InboxId id, byte[] prefix, ClientInfo client, long expirySeconds, Will will, boolean isRecorded) {
            super(id, prefix);
            this.client = client;
            this.expirySeconds = expirySeconds;
            this.will = will;
            this.isRecorded = isRecorded;
        }

        @Override
        void run(Lifecycle lifecycle, InboxState state) {
            lifecycle.keepWill(state, this);
        }

        @Override
        public void fail(RangeException cause) {
            answer.completeExceptionally(cause);
        }
    }

    /** See {@link io.godwit.inbox.client.InboxClient#distributed}. */
    static final class Distributed extends SessionCall {
        private final long tokenNumber;
        private final Predicate<String> isOrigin;
        final CompletableFuture<@Nullable Void> answer = new CompletableFuture<>();

        Distributed(InboxId id, byte[] prefix, long tokenNumber, Predicate<String> isOrigin) {
            super(id, prefix);
            this.tokenNumber = tokenNumber;
            this.isOrigin = isOrigin;
        }

        @Override
        void run(Lifecycle lifecycle, InboxState state) {
            lifecycle.distributed(state, tokenNumber, isOrigin, answer);
        }

        @Override
        public void fail(RangeException cause) {
            answer.completeExceptionally(cause);
        }
    }

    /** See {@link io.godwit.inbox.client.InboxClient#delete}. */
    static final class Delete extends SessionCall {
        final CompletableFuture<Boolean> answer = new CompletableFuture<>();

        Delete(InboxId id, byte[] prefix) {
            super(id, prefix);
        }

        @Override
        void run(Lifecycle lifecycle, InboxState state) {
            lifecycle.delete(state, this);
        }

        @Override
        public void fail(RangeException cause) {
            answer.completeExceptionally(cause);
        }
    }
}
