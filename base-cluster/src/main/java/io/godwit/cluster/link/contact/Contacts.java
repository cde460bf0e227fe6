package io.godwit.cluster.link.contact;

import io.godwit.cluster.link.Lane;
import io.godwit.cluster.link.LinkSettings;
import io.godwit.cluster.link.Peer;
import io.godwit.cluster.link.connection.Agreement;
import io.godwit.cluster.link.connection.Handshake;
import io.godwit.cluster.link.connection.LinkConnection;
import io.godwit.cluster.link.message.LinkMessage;
import io.godwit.cluster.link.message.LinkProtocolException;
import io.godwit.cluster.link.pairing.Pairing;
import io.godwit.cluster.link.stream.LinkCarrier;
import io.godwit.cluster.link.stream.LinkStream;
import io.godwit.cluster.link.wire.Answer;
import io.godwit.cluster.link.wire.Hello;
import io.godwit.cluster.link.wire.Reason;
import io.godwit.cluster.link.wire.Refused;
import io.godwit.cluster.member.Departure;
import io.godwit.cluster.member.Member;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides with which nodes this node is paired, and over which stream. Owned by the links' thread.
 *
 * <p>Of two members the one with the lower id dials and offers a pairing: both incarnations and a number
 * ({@code session}) that it never uses again. The other end begins the pairing when it accepts the offer, the dialing
 * end when it gets the answer. So (dialing node, its incarnation, session) and the other end's incarnation identify a
 * pairing at both ends. When the stream breaks, the dialing end dials again with the same number. If the answer was
 * lost, it repeats the offer with the same number too: it is the same pairing.
 *
 * <p>How one end learns that the other has ended the pairing:
 *
 * <ul>
 *   <li>If there is a connection, it is told: {@link Pairing}.
 *   <li>If the dialing end has ended it, its next hello has a higher number, which ends the former pairing.
 *   <li>If the other end has ended it, the next hello still has the old number and is refused as over. The refusal
 *       names the highest number seen there, and the next offer uses a higher one.
 *   <li>If the two can no longer reach each other, each ends the pairing after the silence, by its own clock.
 * </ul>
 *
 * A number below the highest seen is refused: a delayed hello can neither revive an ended pairing nor end a later one.
 * The streams of one pairing are numbered in the same way ({@code attempt}), so that a late one does not replace the
 * newest. Session numbers count from 1 in each process; each process has a higher incarnation than the one before.
 *
 * <p>Listeners are told of a pairing ({@code joined}) before it is attached to its first stream. The next pairing with
 * the same node begins after they were told that this one is over; an earlier offer is held until then.
 */
final class Contacts {
    /**
     * The parts that streams and pairings are made with.
     *
     * @param connections makes connections that report to this object on the links' thread
     */
    record Surroundings(
            Handshake handshake,
            LinkSettings settings,
            LinkCarrier carrier,
            Supplier<LinkConnection> connections,
            PairingMaker pairings) {}

    /** Makes a pairing that runs on the links' threads and tells them when it has ended. */
    interface PairingMaker {
        Pairing make(Contact with, Agreement agreement);
    }

    private static final Logger LOG = LoggerFactory.getLogger(Contacts.class);
    private static final long HELLO_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long GOODBYE_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    /** Longer than {@link #RETRY_NANOS}: the versions of a process do not change, so only its replacement helps. */
    private static final long VERSION_RETRY_NANOS = TimeUnit.SECONDS.toNanos(30);

    private static final long VERSION_WORDS_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final long FORGET_NANOS = TimeUnit.HOURS.toNanos(1);
    private static final int MAX_UNATTACHED = 64;

    private final Surroundings with;
    private final BiConsumer<LinkEvent, Pairing> tell;
    /** By node id. Changed by the links' thread, read by any thread. */
    private final Map<String, Contact> contacts = new ConcurrentSkipListMap<>();
    /** When to cancel each stream that is not attached yet or is ending. */
    private final Map<LinkConnection, Long> deadlines = new HashMap<>();

    private List<Member> members = List.of();
    private long nowNanos;
    private long lastSession;
    private long lastAttempt;
    private boolean isClosing;

    /** The events that listeners are told of. */
    enum LinkEvent {
        JOINED,
        DISCONNECTED,
        RECONNECTED,
        /** {@link #OVER} follows. */
        SILENT,
        OVER
    }

    Contacts(Surroundings with, BiConsumer<LinkEvent, Pairing> tell) {
        this.with = with;
        this.tell = tell;
    }

    /** Any thread. */
    Map<String, Contact> all() {
        return contacts;
    }

    // --- time and members

    /** Sets the time and the members for the calls that follow. */
    void at(long now, List<Member> currentMembers) {
        nowNanos = now;
        members = currentMembers;
    }

    /** Dials, ends and forgets contacts as needed. */
    void tick() {
        for (Map.Entry<LinkConnection, Long> each : List.copyOf(deadlines.entrySet())) {
            if (nowNanos - each.getValue() >= 0) {
                cancel(each.getKey(), "too slow");
            }
        }
        members.forEach(this::look);
        for (Contact contact : List.copyOf(contacts.values())) {
            Pairing pairing = contact.pairing;
            if (pairing != null && !pairing.isOver() && contact.connection == null && isSilent(contact)) {
                tell.accept(LinkEvent.SILENT, pairing);
                pairing.end("no connection for " + with.settings().silence());
            }
            if (pairing == null && (contact.hasLeft || nowNanos - contact.memberNanos > FORGET_NANOS)) {
                contacts.remove(contact.nodeId);
            }
        }
    }

    private boolean isSilent(Contact contact) {
        return nowNanos - contact.silentSinceNanos >= with.settings().silence().toNanos();
    }

    private void look(Member member) {
        Contact contact = meet(member.nodeId(), member.incarnation());
        if (contact == null || contact.incarnation != member.incarnation()) {
            return;
        }
        contact.memberNanos = nowNanos;
        Pairing pairing = contact.pairing;
        boolean isWanted = with.handshake().dials(member.nodeId())
                && !isClosing
                && contact.connection == null
                && contact.trying == null
                && (pairing == null || !pairing.isOver() && pairing.incarnation() == contact.incarnation);
        if (isWanted && nowNanos - contact.notBeforeNanos >= 0) {
            dial(contact);
        }
    }

    /**
     * The contact of a node, made if needed; null for this node itself. A higher incarnation ends what there was of a
     * lower one.
     */
    private @Nullable Contact meet(String nodeId, long incarnation) {
        if (with.handshake().isSelf(nodeId)) {
            return null;
        }
        Contact contact = contacts.computeIfAbsent(nodeId, id -> new Contact(id, nowNanos));
        if (contact.incarnation < incarnation) {
            contact.incarnation = incarnation;
            contact.session = 0;
            contact.attempt = 0;
            contact.hasLeft = false;
            contact.notBeforeNanos = nowNanos;
            end(contact, "the node has restarted, its incarnation is " + incarnation);
        }
        return contact;
    }

    private void end(Contact contact, String why) {
        if (contact.trying != null) {
            cancel(contact.trying, why);
            contact.trying = null;
        }
        if (contact.held != null) {
            cancel(contact.held.connection(), why);
            contact.held = null;
        }
        Pairing pairing = contact.pairing;
        if (pairing != null) {
            pairing.end(why);
        }
    }

    void gone(Member member, Departure departure) {
        Contact contact = contacts.get(member.nodeId());
        if (contact != null && contact.incarnation == member.incarnation() && departure == Departure.LEFT) {
            contact.hasLeft = true;
            end(contact, "the node has left");
        }
    }

    /** Ends all pairings; no new one begins. */
    void close() {
        isClosing = true;
        contacts.values().forEach(contact -> end(contact, "the node's links are closed"));
        for (LinkConnection each : List.copyOf(deadlines.keySet())) {
            cancel(each, "closed");
        }
    }

    /** After {@link #close}: whether all pairings have ended and all streams are closed. */
    boolean isClosed() {
        return deadlines.isEmpty() && contacts.values().stream().allMatch(contact -> contact.pairing == null);
    }

    // --- streams that this end dials

    private void dial(Contact contact) {
        if (contact.session == 0) {
            contact.session = ++lastSession;
        }
        LinkConnection connection = with.connections().get();
        connection.dials(contact.nodeId, contact.session);
        Pairing pairing = contact.pairing;
        long[] expected = pairing == null ? first() : pairing.expected();
        connection.tell(expected);
        contact.notBeforeNanos = nowNanos + RETRY_NANOS;
        contact.trying = connection;
        deadlines.put(connection, nowNanos + HELLO_NANOS);
        LinkStream stream = with.carrier().dial(contact.nodeId, connection);
        if (stream == null) {
            contact.trying = null;
            deadlines.remove(connection);
            return;
        }
        connection.stream(stream);
        stream.send(LinkMessage.encode(
                with.handshake().hello(contact.nodeId, contact.incarnation, contact.session, ++lastAttempt, expected)));
    }

    private static long[] first() {
        long[] next = new long[Lane.values().length];
        Arrays.fill(next, 1);
        return next;
    }

    private void answered(LinkConnection connection, byte[] message) throws LinkProtocolException {
        Contact contact = contacts.get(connection.nodeId());
        if (contact == null || contact.trying != connection) {
            cancel(connection, "not waited for");
            return;
        }
        contact.trying = null;
        Answer answer = LinkMessage.answer(message);
        if (!answer.hasAccepted()) {
            cancel(connection, "refused");
            refused(contact, connection, answer.getRefused());
            return;
        }
        with.handshake().hear(connection, answer.getAccepted());
        Pairing pairing = contact.pairing;
        if (isClosing || contact.session != connection.session() || pairing != null && pairing.isOver()) {
            cancel(connection, "over");
            return;
        }
        attach(contact, connection);
    }

    private void refused(Contact contact, LinkConnection connection, Refused refused) {
        String words = "refused by the other end: " + LinkMessage.words(refused.getWords());
        if (refused.getReason() == Reason.REASON_VERSION) {
            contact.notBeforeNanos = nowNanos + VERSION_RETRY_NANOS;
            noCommonVersion(contact, words);
        } else {
            trouble(contact, words);
        }
        if (refused.getReason() == Reason.REASON_OVER && contact.session == connection.session()) {
            contact.session = 0;
            lastSession = Math.max(lastSession, Math.min(refused.getSession(), Handshake.MAX_SESSION));
            Pairing pairing = contact.pairing;
            if (pairing != null) {
                pairing.end("the other end has ended the pairing");
            }
        }
    }

    // --- streams that the other end dials

    /** A stream was opened by another node; its hello has not arrived yet. */
    void opened(LinkConnection connection) {
        if (connection.isClosed()) {
            return;
        }
        deadlines.put(connection, nowNanos + HELLO_NANOS);
        if (isClosing || deadlines.size() > MAX_UNATTACHED) {
            cancel(connection, "too many streams are being opened");
        }
    }

    private void greeted(LinkConnection connection, byte[] message) throws LinkProtocolException {
        Hello hello = LinkMessage.hello(message);
        Answer refusal = with.handshake().refusal(hello, members);
        if (refusal != null) {
            String words = refusal.getRefused().getWords();
            Contact known = contacts.get(hello.getNodeId());
            if (known != null && refusal.getRefused().getReason() == Reason.REASON_VERSION) {
                noCommonVersion(known, words);
            } else {
                LOG.debug("stream refused node={} answer={}", LinkMessage.words(hello.getNodeId()), words);
            }
            refuse(connection, refusal);
            return;
        }
        Contact contact = meet(hello.getNodeId(), hello.getIncarnation());
        if (contact == null || contact.incarnation != hello.getIncarnation()) {
            refuse(connection, Handshake.refused(Reason.REASON_NOT_NOW, "another incarnation of the node is known", 0));
            return;
        }
        Pairing pairing = contact.pairing;
        boolean isOver = pairing == null || pairing.isOver();
        if (hello.getSession() < contact.session || hello.getSession() == contact.session && isOver) {
            refuse(connection, Handshake.refused(Reason.REASON_OVER, "this pairing is over", contact.session));
            return;
        }
        if (hello.getSession() == contact.session && hello.getAttempt() <= contact.attempt) {
            refuse(connection, Handshake.refused(Reason.REASON_NOT_NOW, "a later stream has been opened", 0));
            return;
        }
        with.handshake().hear(connection, hello);
        connection.dialedBy(contact.nodeId, hello.getSession());
        if (hello.getSession() > contact.session && pairing != null) {
            end(contact, "the other end has begun a new pairing");
            contact.held = new Contact.Held(connection, message);
            return;
        }
        contact.session = hello.getSession();
        contact.attempt = hello.getAttempt();
        accept(contact, connection);
    }

    private void accept(Contact contact, LinkConnection connection) {
        LinkStream stream = connection.stream();
        if (stream == null || isClosing) {
            cancel(connection, "closed");
            return;
        }
        Pairing pairing = contact.pairing;
        long[] expected = pairing == null ? first() : pairing.expected();
        connection.tell(expected);
        connection.accepted();
        stream.send(LinkMessage.encode(with.handshake().accepted(connection.agreement(), expected)));
        attach(contact, connection);
    }

    private void refuse(LinkConnection connection, Answer refusal) {
        LinkStream stream = connection.stream();
        if (stream != null) {
            stream.send(LinkMessage.encode(refusal));
            stream.finish();
            deadlines.put(connection, nowNanos + GOODBYE_NANOS);
        }
    }

    // --- pairings

    private void attach(Contact contact, LinkConnection connection) {
        Pairing known = contact.pairing;
        if (known != null && !known.agreement().equals(connection.agreement())) {
            known.violated("the peer now uses " + connection.agreement() + ", it began with " + known.agreement());
            cancel(connection, "another agreement");
            return;
        }
        deadlines.remove(connection);
        LinkConnection former = contact.connection;
        if (former != null) {
            detach(contact);
            cancel(former, "a later stream has been opened");
        }
        contact.connection = connection;
        contact.lastTrouble = "";
        Pairing pairing = known == null ? with.pairings().make(contact, connection.agreement()) : known;
        contact.pairing = pairing;
        pairing.connected(true);
        if (known == null) {
            LOG.info("linked peer={} version={} maxFrameBytes={}", pairing, pairing.version(), pairing.maxFrameBytes());
        }
        tell.accept(known == null ? LinkEvent.JOINED : LinkEvent.RECONNECTED, pairing);
        connection.attach(pairing);
        pairing.attach(connection);
    }

    private void detach(Contact contact) {
        contact.connection = null;
        contact.silentSinceNanos = nowNanos;
        Pairing pairing = contact.pairing;
        if (pairing != null) {
            pairing.connected(false);
            pairing.attach(null);
            if (!pairing.isOver()) {
                tell.accept(LinkEvent.DISCONNECTED, pairing);
            }
        }
    }

    /** All tasks of the pairing have ended. */
    void ended(Pairing pairing) {
        Contact contact = contacts.get(pairing.nodeId());
        if (contact == null || contact.pairing != pairing) {
            return;
        }
        LinkConnection last = contact.connection;
        contact.connection = null;
        if (last != null && !last.isClosed()) {
            deadlines.put(last, nowNanos + GOODBYE_NANOS);
        }
        contact.pairing = null;
        if (contact.incarnation == pairing.incarnation()) {
            contact.notBeforeNanos = nowNanos + RETRY_NANOS; // the cause may also end the next pairing at once
        }
        if (with.handshake().dials(contact.nodeId) && contact.session == pairing.session()) {
            contact.session = 0;
        }
        LOG.info("link is over peer={} why={}", pairing, pairing.why());
        tell.accept(LinkEvent.OVER, pairing);
        Contact.Held held = contact.held;
        contact.held = null;
        if (held != null && !held.connection().isClosed()) {
            begun(held.connection(), held.hello());
        }
    }

    // --- events of streams, handed over to the links' thread

    void begun(LinkConnection connection, byte[] message) {
        try {
            if (connection.isDialed()) {
                answered(connection, message);
            } else {
                greeted(connection, message);
            }
        } catch (LinkProtocolException e) {
            broken(connection, String.valueOf(e.getMessage()));
        }
    }

    void broken(LinkConnection connection, String why) {
        Contact contact = contacts.get(connection.nodeId());
        Pairing pairing = contact == null || contact.connection != connection ? null : contact.pairing;
        if (pairing != null) {
            pairing.violated(why);
        } else {
            if (contact != null) {
                trouble(contact, why);
            }
            cancel(connection, why);
        }
    }

    void endedByOther(LinkConnection connection, String why) {
        Contact contact = contacts.get(connection.nodeId());
        Pairing pairing = contact == null || contact.connection != connection ? null : contact.pairing;
        if (pairing == null) {
            cancel(connection, "over");
        } else {
            pairing.end("the other end: " + why);
        }
    }

    void closed(LinkConnection connection, String why) {
        deadlines.remove(connection);
        Contact contact = contacts.get(connection.nodeId());
        if (contact == null) {
            return;
        }
        if (contact.trying == connection) {
            contact.trying = null;
            trouble(contact, why);
        }
        if (contact.connection == connection) {
            detach(contact);
            LOG.info("link is broken peer={} why={}", contact.pairing, why);
        }
    }

    private void cancel(LinkConnection connection, String why) {
        LinkStream stream = connection.stream();
        deadlines.remove(connection);
        if (stream != null) {
            stream.cancel(why);
        }
    }

    /**
     * Logs at a limited rate that there is no common version. Both ends log it, because either may be the one to be
     * replaced.
     */
    private void noCommonVersion(Contact contact, String what) {
        Long told = contact.versionsToldNanos;
        if (told == null || nowNanos - told >= VERSION_WORDS_NANOS) {
            contact.versionsToldNanos = nowNanos;
            LOG.warn("no link: no protocol version is common to both nodes node={} why={}", contact.nodeId, what);
        }
    }

    private static void trouble(Contact contact, String what) {
        if (!contact.lastTrouble.equals(what)) {
            contact.lastTrouble = what;
            LOG.info("no link yet node={} why={}", contact.nodeId, what);
        }
    }

    /** The peers that are not over. Any thread. */
    List<Peer> peers() {
        List<Peer> peers = new ArrayList<>();
        for (Contact contact : contacts.values()) {
            Pairing pairing = contact.pairing;
            if (pairing != null && !pairing.isOver()) {
                peers.add(pairing);
            }
        }
        return peers;
    }
}
