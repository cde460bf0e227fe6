package io.godwit.dist.deliver;

import io.godwit.dist.client.DeliveryToken;
import io.godwit.kv.client.RequestPlace;
import io.godwit.kv.client.Resend;
import org.jspecify.annotations.Nullable;

/**
 * The order of messages that their publisher repeats together when one of them fails: by their tokens, else by the
 * places that their resend rules name. Any thread.
 */
public final class MessageOrder {
    private MessageOrder() {}

    /** Whether an earlier message has failed: no receiver may take this one, which comes again behind that one. */
    public static boolean isBehindFailed(@Nullable DeliveryToken token, Resend resend) {
        RequestPlace place = resend.place();
        return token != null ? token.isBehindFailed() : place != null && place.isBehindFailed();
    }

    /** The message has failed for a receiver. To be called before its publisher is told. */
    public static void failed(@Nullable DeliveryToken token, Resend resend) {
        RequestPlace place = resend.place();
        if (token != null) {
            token.failed();
        } else if (place != null) {
            place.failed();
        }
    }
}
