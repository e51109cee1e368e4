package io.muster.embedded;

import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;

/**
 * The broker as a process of its own: {@code --port N --controller-port N --data DIR}. Prints one line
 * ({@code READY 127.0.0.1:PORT}) when clients may come, runs until it gets SIGTERM, and stops in order. Exit status 2:
 * the arguments are wrong.
 */
public final class BrokerProcess {

    private static final String LOGGING = "logback.configurationFile";
    private static final Set<String> OPTIONS = Set.of("--port", "--controller-port", "--data");

    private BrokerProcess() {}

    public static void main(String[] arguments) throws InterruptedException {
        if (System.getProperty(LOGGING) == null) {
            System.setProperty(LOGGING, "io/muster/embedded/broker-logback.xml");
        }
        BrokerSettings settings;
        try {
            settings = parse(arguments);
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage());
            System.exit(2);
            return;
        }
        var broker = EmbeddedBroker.start(settings);
        var stopped = new CountDownLatch(1);
        Runtime.getRuntime()
                .addShutdownHook(new Thread(
                        () -> {
                            broker.close();
                            stopped.countDown();
                        },
                        "embedded-kafka-stop"));
        System.out.println("READY " + broker.bootstrapServers());
        stopped.await();
    }

    static BrokerSettings parse(String[] arguments) {
        Map<String, String> options = new TreeMap<>();
        for (int i = 0; i < arguments.length; i += 2) {
            if (!OPTIONS.contains(arguments[i]) || i + 1 == arguments.length) {
                throw new IllegalArgumentException("cannot read \"" + arguments[i]
                        + "\"; usage: --port N --controller-port N --data DIR (0 = a free port)");
            }
            options.put(arguments[i], arguments[i + 1]);
        }
        String data = options.get("--data");
        if (data == null) {
            throw new IllegalArgumentException("--data DIR is missing");
        }
        return new BrokerSettings(Path.of(data), port(options, "--port"), port(options, "--controller-port"));
    }

    private static int port(Map<String, String> options, String option) {
        String value = options.getOrDefault(option, "0");
        if (!value.matches("[0-9]{1,5}")) {
            throw new IllegalArgumentException(option + " must be a number from 0 to 65535, not \"" + value + "\"");
        }
        return Integer.parseInt(value);
    }
}
