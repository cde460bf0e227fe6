package io.godwit.perf.load;

/**
 * What has become of the messages.
 *
 * @param sent by publishers
 * @param notWritten of those sent: the client could not write them, and has said why
 * @param unread publishers of QoS 0 that got no answer to a ping after their last message: the broker may not have read
 *     all of it
 * @param unsent were due and not sent by the end
 * @param expected deliveries of what was sent, over all subscribers
 * @param received deliveries, repeats too
 * @param lost deliveries that did not come, though the message was sent at QoS 0 or acknowledged
 * @param unacknowledged messages of QoS 1 and 2, at the end
 * @param overtaken deliveries that came after a later message of their publisher and topic
 * @param foreign arrivals that are not of this run
 * @param isChecked whether there were subscribers to compare with publishers
 */
public record Delivery(
        long sent,
        long notWritten,
        long unread,
        long unsent,
        long acknowledged,
        long unacknowledged,
        long expected,
        long received,
        long lost,
        long repeated,
        long overtaken,
        long foreign,
        boolean isChecked) {}
