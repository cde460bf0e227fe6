package io.godwit.broker.admin.rpc;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonParseException;
import io.godwit.cluster.rpc.BytesMarshaller;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** The methods of the service for operators' programs, with messages as JSON. */
public final class AdminMethods {
    static final String SERVICE = "godwit.Admin";

    /** The form on the wire: one line. */
    private static final Gson GSON = new GsonBuilder().disableHtmlEscaping().create();

    /** The printed form. */
    private static final Gson PRINTED = new GsonBuilder()
            .disableHtmlEscaping()
            .setPrettyPrinting()
            .serializeNulls()
            .create();

    static final MethodDescriptor<Messages.Nothing, Messages.Nodes> NODES =
            unary("nodes", Messages.Nothing.class, Messages.Nodes.class);
    public static final MethodDescriptor<Messages.OfStore, Messages.Ranges> RANGES =
            unary("ranges", Messages.OfStore.class, Messages.Ranges.class);
    public static final MethodDescriptor<Messages.Action, Messages.Result> CARRY_OUT =
            unary("carryOut", Messages.Action.class, Messages.Result.class);
    public static final MethodDescriptor<Messages.Drain, Messages.Result> DRAIN =
            unary("drain", Messages.Drain.class, Messages.Result.class);
    public static final MethodDescriptor<Messages.OfNode, Messages.DrainState> DRAIN_STATE =
            unary("drainState", Messages.OfNode.class, Messages.DrainState.class);
    public static final MethodDescriptor<Messages.OfNode, Messages.Result> FORGET =
            unary("forget", Messages.OfNode.class, Messages.Result.class);
    public static final MethodDescriptor<Messages.WantVoters, Messages.Result> WANT_VOTERS =
            unary("wantVoters", Messages.WantVoters.class, Messages.Result.class);
    public static final MethodDescriptor<Messages.Recover, Messages.Recovery> RECOVER =
            unary("recover", Messages.Recover.class, Messages.Recovery.class);
    public static final MethodDescriptor<Messages.OfBalancers, Messages.Balancers> BALANCERS =
            unary("balancers", Messages.OfBalancers.class, Messages.Balancers.class);
    public static final MethodDescriptor<Messages.ChangeBalancer, Messages.Nothing> CHANGE_BALANCER =
            unary("changeBalancer", Messages.ChangeBalancer.class, Messages.Nothing.class);

    public static final MethodDescriptor<Messages.OfNode, Messages.Configuration> CONFIGURATION =
            unary("configuration", Messages.OfNode.class, Messages.Configuration.class);
    public static final MethodDescriptor<Messages.OfNode, Messages.Plugins> PLUGINS =
            unary("plugins", Messages.OfNode.class, Messages.Plugins.class);

    /** The answers are {@link CopyFrame}s. */
    public static final MethodDescriptor<Messages.OfRange, byte[]> COPY_RANGE =
            copying("copyRange", Messages.OfRange.class);

    /** Copies all ranges of the stores as of one moment. The answers are {@link CopyFrame}s. */
    public static final MethodDescriptor<Messages.OfStores, byte[]> COPY_STORES =
            copying("copyStores", Messages.OfStores.class);

    private AdminMethods() {}

    static byte[] encode(Object message) {
        return GSON.toJson(message).getBytes(StandardCharsets.UTF_8);
    }

    /** @throws io.grpc.StatusRuntimeException if the bytes are no such message */
    static <T> T decode(byte[] json, int offset, Class<T> type) {
        return new Json<>(type).parse(new ByteArrayInputStream(json, offset, json.length - offset));
    }

    private static <Q, A> MethodDescriptor<Q, A> unary(String name, Class<Q> request, Class<A> answer) {
        return MethodDescriptor.<Q, A>newBuilder()
                .setType(MethodType.UNARY)
                .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, name))
                .setRequestMarshaller(new Json<>(request))
                .setResponseMarshaller(new Json<>(answer))
                .build();
    }

    private static <Q> MethodDescriptor<Q, byte[]> copying(String name, Class<Q> request) {
        return MethodDescriptor.<Q, byte[]>newBuilder()
                .setType(MethodType.SERVER_STREAMING)
                .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, name))
                .setRequestMarshaller(new Json<>(request))
                .setResponseMarshaller(BytesMarshaller.INSTANCE)
                .build();
    }

    public static String print(Object message) {
        return PRINTED.toJson(message);
    }

    private record Json<T>(Class<T> type) implements MethodDescriptor.Marshaller<T> {
        @Override
        public InputStream stream(T message) {
            return new ByteArrayInputStream(encode(message));
        }

        @Override
        public T parse(InputStream stream) {
            try {
                T message = GSON.fromJson(new String(stream.readAllBytes(), StandardCharsets.UTF_8), type);
                if (message == null) {
                    throw new JsonParseException("the message is empty");
                }
                return message;
            } catch (IOException | RuntimeException e) { // the constructor of a record may refuse values
                throw Status.INVALID_ARGUMENT
                        .withDescription("not a " + type.getSimpleName() + ": " + reasonOf(e))
                        .withCause(e)
                        .asRuntimeException();
            }
        }

        /** The message of the root cause; those above it only name a constructor. */
        private static String reasonOf(Throwable thrown) {
            Throwable cause = thrown.getCause();
            return cause == null ? String.valueOf(thrown.getMessage()) : reasonOf(cause);
        }
    }
}
