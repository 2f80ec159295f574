"""Tests of the gRPC services from Python, as an internal service in another language uses them.

Nothing is generated from the proto files: all messages are built from the server's reflection.
"""

import time
import unittest

import grpc
import jwt
from google.protobuf import message_factory
from google.protobuf.descriptor_pool import DescriptorPool
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

from server import EMAIL, PASSWORD, PHONE, Server


class Service:
    """Calls the methods of one service by name, with messages given as dictionaries."""

    def __init__(self, channel, pool, name):
        self.channel = channel
        self.descriptor = pool.FindServiceByName(name)

    def __call__(self, method, request, token=None):
        rpc = self.descriptor.methods_by_name[method]
        request_type = message_factory.GetMessageClass(rpc.input_type)
        reply_type = message_factory.GetMessageClass(rpc.output_type)
        kind = ("stream" if rpc.client_streaming else "unary") + ("_stream" if rpc.server_streaming else "_unary")
        call = getattr(self.channel, kind)(
            f"/{self.descriptor.full_name}/{method}",
            request_serializer=request_type.SerializeToString,
            response_deserializer=reply_type.FromString,
        )
        metadata = [("authorization", f"Bearer {token}")] if token else None
        if rpc.client_streaming:
            message = (request_type(**part) for part in request)
        else:
            message = request_type(**request)
        reply = call(message, metadata=metadata, timeout=20)
        return list(reply) if rpc.server_streaming else reply


class ForeignClient(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server("--reflection")
        cls.channel = grpc.insecure_channel(cls.server.grpc)
        grpc.channel_ready_future(cls.channel).result(timeout=60)
        cls.reflection = ProtoReflectionDescriptorDatabase(cls.channel)
        pool = DescriptorPool(cls.reflection)
        cls.auth = Service(cls.channel, pool, "tradebahi.auth.v1.AuthService")
        cls.trades = Service(cls.channel, pool, "tradebahi.trades.v1.TradesService")
        cls.imports = Service(cls.channel, pool, "tradebahi.imports.v1.ImportService")
        cls.auth(
            "Register",
            dict(name="Asha Rao", email=EMAIL, phone=PHONE, password=PASSWORD, confirm_password=PASSWORD),
        )
        cls.token = cls.log_in()

    @classmethod
    def tearDownClass(cls):
        cls.channel.close()
        cls.server.stop()

    @classmethod
    def log_in(cls, login=EMAIL):
        return cls.auth("LogIn", dict(login=login, password=PASSWORD)).tokens.access_token

    def assert_rejected(self, code, service, method, request, token=None):
        with self.assertRaises(grpc.RpcError) as caught:
            service(method, request, token)
        self.assertEqual(caught.exception.code(), code, method)
        return caught.exception

    def test_reflection_lists_all_services_and_health_reports_serving(self):
        names = set(self.reflection.get_services())
        ours = {
            "tradebahi.auth.v1.AuthService",
            "tradebahi.trades.v1.TradesService",
            "tradebahi.imports.v1.ImportService",
            "tradebahi.journal.v1.JournalService",
            "tradebahi.analytics.v1.AnalyticsService",
            "tradebahi.careers.v1.CareersService",
        }
        self.assertLessEqual(ours | {"grpc.health.v1.Health"}, names)
        health = health_pb2_grpc.HealthStub(self.channel)
        for name in ["", *ours]:
            response = health.Check(health_pb2.HealthCheckRequest(service=name))
            self.assertEqual(response.status, health_pb2.HealthCheckResponse.SERVING, name)

    def test_a_token_is_verified_with_the_published_key(self):
        header = jwt.get_unverified_header(self.token)
        self.assertEqual((header["alg"], header["typ"]), ("EdDSA", "at+jwt"))
        keys = self.auth("GetVerification", {}).keys
        x = next(key.x for key in keys if key.kid == header["kid"])
        key = jwt.PyJWK({"kty": "OKP", "crv": "Ed25519", "x": x, "alg": "EdDSA"})
        claims = jwt.decode(self.token, key, algorithms=["EdDSA"], audience="api", issuer="tradebahi")
        self.assertEqual((claims["name"], claims["email"]), ("Asha Rao", EMAIL))
        self.assertEqual(claims["exp"] - claims["iat"], 600)

    def test_every_service_rejects_missing_and_invalid_tokens(self):
        other_key = jwt.encode({"sub": "x", "aud": "api", "iss": "tradebahi", "exp": time.time() + 60}, "k" * 32)
        for service, method, request in [
            (self.auth, "GetAccount", {}),
            (self.trades, "StreamTrades", {}),
            (self.trades, "ListTrades", {"page_size": 1}),
            (self.trades, "ImportTrades", []),
            (self.imports, "ImportFile", []),
        ]:
            for token in [None, "invalid", other_key, self.token[:-2]]:
                self.assert_rejected(grpc.StatusCode.UNAUTHENTICATED, service, method, request, token)

    def test_trades_are_imported_and_listed_by_streams(self):
        book = dict(broker="BROKER_ZERODHA", segment="SEGMENT_EQUITY")
        fill = dict(
            side="SIDE_BUY",
            symbol="M&M",
            quantity="60",
            price="3142.05",
            executed_at=dict(seconds=1_750_400_000),
            time_precision="TIME_PRECISION_SECOND",
            exchange="EXCHANGE_NSE",
        )
        parts = [
            dict(head=dict(book=book, file_name="from Python", file_sha256=bytes(32), format="foreign")),
            dict(batch=dict(trades=[{**fill, "source_key": f"k{n}"} for n in range(3)])),
            dict(end=dict(trades=3)),
        ]
        token = self.log_in(login=EMAIL.upper())
        self.assertEqual(self.trades("ImportTrades", parts, token).added, 3)
        head, page = self.trades("StreamTrades", {}, token)
        self.assertEqual(head.head.total, 3)
        self.assertEqual({(t.symbol, t.quantity, t.price, t.value) for t in page.page.trades}, {("M&M", "60", "3142.05", "188523")})
        self.assertEqual(self.trades("ImportTrades", parts, token).duplicates, 3)

    def test_an_unsupported_file_is_rejected_with_a_reason(self):
        book = dict(broker="BROKER_ZERODHA", segment="SEGMENT_EQUITY")
        parts = [dict(options=dict(book=book, file_name="notes.txt")), dict(chunk=b"not a spreadsheet\n")]
        error = self.assert_rejected(grpc.StatusCode.INVALID_ARGUMENT, self.imports, "ImportFile", parts, self.token)
        details = dict(error.trailing_metadata())["grpc-status-details-bin"]
        self.assertIn(b"FILE_", details)

    def test_a_token_is_rejected_within_five_seconds_after_logout(self):
        token = self.log_in()
        self.auth("GetAccount", {}, token)
        self.auth("LogOut", {}, token)
        deadline = time.monotonic() + 5
        while time.monotonic() < deadline:
            try:
                self.auth("GetAccount", {}, token)
            except grpc.RpcError as error:
                self.assertEqual(error.code(), grpc.StatusCode.UNAUTHENTICATED)
                return
            time.sleep(0.1)
        self.fail("the token is still accepted")


if __name__ == "__main__":
    unittest.main()
