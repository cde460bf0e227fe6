package io.godwit.dist.client;

import io.godwit.kv.client.Resend;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.message.Message;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A message with those receivers of one kind that must get it. The match list is shared between publishes of the same
 * topic and must not be modified.
 *
 * @param token null unless the delivery may be repeated
 * @param strays told by the deliverer of persistent sessions which of them have ended
 * @param resend of what has reached no session yet
 */
public record Delivery(
        ClientInfo publisher,
        Message message,
        List<Match> matches,
        @Nullable DeliveryToken token,
        Strays strays,
        Resend resend) {

    /** The same to one of its receivers. */
    public Delivery only(Match match) {
        Strays same = isOfAnotherNode() ? strays : Strays.IGNORED;
        return new Delivery(publisher, message, List.of(match), token, same, resend);
    }

    /** The same to some of its receivers. */
    public Delivery part(List<Match> some) {
        return new Delivery(publisher, message, some, token, strays, resend);
    }

    /** Whether another node has published the message, and sent it here. */
    public boolean isOfAnotherNode() {
        return strays == Strays.OF_ANOTHER_NODE;
    }

    /** One that is needed whatever becomes of its publisher. */
    public Delivery(
            ClientInfo publisher, Message message, List<Match> matches, @Nullable DeliveryToken token, Strays strays) {
        this(publisher, message, matches, token, strays, Resend.ALWAYS);
    }

    /** To sessions that cannot end unnoticed. */
    public Delivery(ClientInfo publisher, Message message, List<Match> matches, @Nullable DeliveryToken token) {
        this(publisher, message, matches, token, Strays.IGNORED);
    }
}
