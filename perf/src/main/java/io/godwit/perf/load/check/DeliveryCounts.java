package io.godwit.perf.load.check;

/**
 * What became of the messages.
 *
 * @param sent number that publishers sent
 * @param notWritten number of those sent that the client could not write; the reasons are among the errors
 * @param unread publishers of QoS 0 that got no answer to a ping after their last message, so that the broker may not
 * have read all messages
 * @param unsent messages that were due and not sent by the end
 * @param expected deliveries of the messages sent, to all subscribers
 * @param received deliveries, including repeats
 * @param lost deliveries that did not arrive, though the message was sent at QoS 0 or acknowledged
 * @param unacknowledged messages of QoS 1 and 2 without acknowledgement at the end
 * @param overtaken deliveries that arrived after a later message of their publisher and topic
 * @param foreign arrivals that are not from this run
 * @param isChecked whether there were subscribers to compare with publishers
 */
public record DeliveryCounts(
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
