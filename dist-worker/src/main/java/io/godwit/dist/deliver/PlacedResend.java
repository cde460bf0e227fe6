package io.godwit.dist.deliver;

import io.godwit.kv.client.RequestPlace;
import io.godwit.kv.client.Resend;

/**
 * Resend rule for a message of a connection that ends when the message is refused. The client's next connection sends
 * it again with those behind it, so no receiver may take a later message before this one.
 *
 * @param connection rule of the connection
 */
record PlacedResend(Resend connection, RequestPlace place) implements Resend {
    @Override
    public boolean isAbandoned() {
        return connection.isAbandoned();
    }

    @Override
    public void failed() {
        place.failed();
        connection.failed();
    }

    @Override
    public boolean mayNotBegin() {
        return place.isBehindFailed() || connection.mayNotBegin();
    }
}
