package io.godwit.dist.client;

import io.godwit.kv.client.Resend;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.message.Message;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A message with the receivers of one kind that must get it. The match list is shared between publishes of the same
 * topic and must not be modified.
 *
 * @param token null unless the delivery may be repeated
 * @param strays the deliverer of persistent sessions reports ended sessions to it
 * @param resend whether the delivery to sessions that do not have it yet may be sent again
 * @param asked strategy of the message's listener for shared groups; null for none
 */
public record Delivery(
        ClientInfo publisher,
        Message message,
        List<Match> matches,
        @Nullable DeliveryToken token,
        Strays strays,
        Resend resend,
        @Nullable SharedPick asked) {

    /** The same delivery to one of its receivers. */
    public Delivery only(Match match) {
        Strays same = isOfAnotherNode() ? strays : Strays.IGNORED;
        return new Delivery(publisher, message, List.of(match), token, same, resend, asked);
    }

    /** The same delivery to some of its receivers. */
    public Delivery part(List<Match> some) {
        return new Delivery(publisher, message, some, token, strays, resend, asked);
    }

    /** Whether another node has published the message and sent it here. */
    public boolean isOfAnotherNode() {
        return strays == Strays.OF_ANOTHER_NODE;
    }

    /** A delivery of a message whose listener has no strategy for shared groups. */
    public Delivery(
            ClientInfo publisher,
            Message message,
            List<Match> matches,
            @Nullable DeliveryToken token,
            Strays strays,
            Resend resend) {
        this(publisher, message, matches, token, strays, resend, null);
    }

    /** A delivery that stays needed when its publisher ends. */
    public Delivery(
            ClientInfo publisher, Message message, List<Match> matches, @Nullable DeliveryToken token, Strays strays) {
        this(publisher, message, matches, token, strays, Resend.ALWAYS);
    }

    /** A delivery without reports of ended sessions. */
    public Delivery(ClientInfo publisher, Message message, List<Match> matches, @Nullable DeliveryToken token) {
        this(publisher, message, matches, token, Strays.IGNORED);
    }
}
